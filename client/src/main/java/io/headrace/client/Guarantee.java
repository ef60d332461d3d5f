package io.headrace.client;

/**
 * The delivery guarantee of a job's elements when processes die. A job has one guarantee for all
 * its readers.
 */
public enum Guarantee {
  /**
   * Each record of the sources contributes exactly once to the elements that the pipeline makes of
   * it. Requires dynamic sharding, a Headrace dispatcher, Headrace workers, and a pipeline that
   * tracks the records of each element.
   */
  EXACTLY_ONCE(io.headrace.proto.headrace.Guarantee.EXACTLY_ONCE),
  /**
   * Undelivered elements are produced again, together with some that were delivered. Requires
   * dynamic sharding, a Headrace dispatcher, Headrace workers, and a pipeline whose output on a
   * worker depends on that worker's splits alone.
   */
  AT_LEAST_ONCE(io.headrace.proto.headrace.Guarantee.AT_LEAST_ONCE),
  /**
   * TensorFlow's guarantee: the undelivered elements of a lost worker are missing, which is
   * reported.
   */
  AT_MOST_ONCE(io.headrace.proto.headrace.Guarantee.AT_MOST_ONCE);

  private final io.headrace.proto.headrace.Guarantee proto;

  Guarantee(io.headrace.proto.headrace.Guarantee proto) {
    this.proto = proto;
  }

  io.headrace.proto.headrace.Guarantee toProto() {
    return proto;
  }

  static Guarantee of(io.headrace.proto.headrace.Guarantee proto) {
    for (Guarantee guarantee : values()) {
      if (guarantee.proto == proto) {
        return guarantee;
      }
    }
    return AT_MOST_ONCE;
  }
}
