/**
 * Files: access with TensorFlow's errors, whatever file system a name's scheme means ({@link
 * io.headrace.runtime.file.DataFiles}, where to begin reading), file systems ({@link
 * io.headrace.runtime.file.FileSystem}), of which that of the machine is here, folders that ops may
 * not touch ({@link io.headrace.runtime.file.ReservedFolders}), atomic replacement ({@link
 * io.headrace.runtime.file.AtomicFile}) and checksums.
 */
@NullMarked
package io.headrace.runtime.file;

import org.jspecify.annotations.NullMarked;
