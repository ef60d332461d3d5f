/**
 * TensorFlow 1's file readers, which read the files named by a queue. {@code ReaderOps} declares
 * the ops; their handle holds a {@code ReaderResource}, which serializes its calls ({@code
 * SerialCalls}) and can save its position ({@code ReaderState}). Begin with {@code ReaderOps}.
 */
@NullMarked
package io.headrace.dataset.execute.reader;

import org.jspecify.annotations.NullMarked;
