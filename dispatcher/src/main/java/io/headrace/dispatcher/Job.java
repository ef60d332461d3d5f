package io.headrace.dispatcher;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.TargetWorkers;

/**
 * A use of a dataset, shared by those who name it.
 *
 * @param id its number
 * @param name what clients share it by
 * @param anonymous the name was made up here
 * @param datasetId what is read
 * @param processingMode how the workers divide it
 * @param targetWorkers which workers its clients read from
 */
record Job(
    long id,
    String name,
    boolean anonymous,
    String datasetId,
    ProcessingModeDef processingMode,
    TargetWorkers targetWorkers) {}
