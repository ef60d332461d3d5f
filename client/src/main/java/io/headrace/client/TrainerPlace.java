package io.headrace.client;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.runtime.status.StatusException;
import java.util.Optional;

/**
 * A reader's place in the cross-trainer caches of a job's workers.
 *
 * @param trainerId the trainer that the reader belongs to; not empty
 */
record TrainerPlace(String trainerId) {
  /** INVALID_ARGUMENT, with TensorFlow's message, for an empty id. */
  TrainerPlace {
    if (trainerId.isEmpty()) {
      throw StatusException.invalidArgument(
          "tf.data service cross-trainer cache requires a non-empty trainer ID.");
    }
  }

  /**
   * Requires a job that can be cached.
   *
   * @throws StatusException INVALID_ARGUMENT, with TensorFlow's message, for a job without a name
   *     or whose consumers read in step
   */
  static void requireCacheable(String jobName, Optional<ConsumerPlace> consumer) {
    if (jobName.isEmpty()) {
      throw StatusException.invalidArgument(
          "Cross-trainer caching requires named jobs. Got empty `job_name`.");
    }
    if (consumer.isPresent()) {
      throw StatusException.invalidArgument(
          "Cross-trainer caching does not support coordinated reads. Got number of coordinated"
              + " consumers: %d",
          consumer.get().count());
    }
  }

  /**
   * Requires a pass that can be cached.
   *
   * @throws StatusException INVALID_ARGUMENT, with TensorFlow's message, for a dataset that may
   *     have an end, or for a second pass
   */
  static void requireCacheable(DataServiceMetadata metadata, long repetition) {
    if (metadata.getCardinality() != DatasetValue.INFINITE) {
      throw StatusException.invalidArgument(
          "Cross-trainer caching requires the input dataset to be infinite. Got input with"
              + " cardinality %d",
          metadata.getCardinality());
    }
    if (repetition > 1) {
      throw StatusException.invalidArgument(
          "Cross-trainer caching requires infinite datasets and disallows multiple repetitions of"
              + " the same dataset. Got repetition %d",
          repetition);
    }
  }
}
