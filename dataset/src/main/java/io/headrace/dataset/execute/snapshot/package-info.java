/**
 * Datasets on disk: saving and loading them, and snapshots that a pipeline writes once and reads
 * from then on. Folders, files and their formats are TensorFlow's (tensorflow/core/data/
 * snapshot_utils.h and tensorflow/core/data/service/snapshot).
 */
@NullMarked
package io.headrace.dataset.execute.snapshot;

import org.jspecify.annotations.NullMarked;
