/**
 * TensorFlow 1's file readers: ops that read the files whose names a queue holds. Begin with {@code
 * ReaderOps}.
 */
@NullMarked
package io.headrace.dataset.execute.reader;

import org.jspecify.annotations.NullMarked;
