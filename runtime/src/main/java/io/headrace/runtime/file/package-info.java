/**
 * Local files: access with TensorFlow's errors ({@link io.headrace.runtime.file.LocalFiles}),
 * folders that ops may not touch ({@link io.headrace.runtime.file.ReservedFolders}), atomic
 * replacement ({@link io.headrace.runtime.file.AtomicFile}) and checksums.
 */
@NullMarked
package io.headrace.runtime.file;

import org.jspecify.annotations.NullMarked;
