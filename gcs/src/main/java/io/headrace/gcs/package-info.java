/**
 * Google Cloud Storage: its client ({@link io.headrace.gcs.GcsClients}), and the file system of
 * names that begin with {@code gs://} ({@link io.headrace.gcs.GcsFileSystem}), which {@link
 * io.headrace.runtime.file.DataFiles} finds where this module is on the class path. Begin reading
 * at the file system.
 */
@NullMarked
package io.headrace.gcs;

import org.jspecify.annotations.NullMarked;
