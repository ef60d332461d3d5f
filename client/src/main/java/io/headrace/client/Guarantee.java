package io.headrace.client;

/**
 * What becomes of a job's elements when processes die. A job has one guarantee for all its readers.
 */
public enum Guarantee {
  /**
   * Each record of the sources is in exactly the elements that the pipeline makes of it, once.
   * Needs dynamic sharding, a Headrace dispatcher, Headrace workers, and a pipeline that can say
   * which records an element was made of.
   */
  EXACTLY_ONCE(io.headrace.proto.headrace.Guarantee.EXACTLY_ONCE),
  /**
   * What was not delivered is made again, and with it some elements that were. Needs dynamic
   * sharding, a Headrace dispatcher, Headrace workers, and a pipeline of which each worker makes
   * its part from its splits alone.
   */
  AT_LEAST_ONCE(io.headrace.proto.headrace.Guarantee.AT_LEAST_ONCE),
  /** TensorFlow's: what a lost worker had not delivered is missing, and that is reported. */
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
