package io.headrace.worker;

import io.headrace.dataset.execute.DatasetValue;

/**
 * The dataset of a task, made and not yet read.
 *
 * @param dataset what is iterated; its elements are plain
 * @param compressed whether single elements are to be sent compressed
 */
record TaskDataset(DatasetValue dataset, boolean compressed) {}
