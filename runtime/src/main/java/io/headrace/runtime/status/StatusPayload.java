package io.headrace.runtime.status;

import static java.util.Objects.requireNonNull;

/**
 * What TensorFlow's servers tell each other of a failure beside its code and message. A payload has
 * no value: that it is there says it all.
 */
public enum StatusPayload {
  /**
   * The failure follows from another, which cancelled or aborted what ran: of what a step fails
   * with, whoever began it is told only what is not derived.
   */
  DERIVED("type.googleapis.com/tensorflow.DerivedStatus"),

  /** The task has none of what its caller knew there, and so was probably restarted since. */
  WORKER_POSSIBLY_RESTARTED(
      "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted");

  private final String typeUrl;

  StatusPayload(String typeUrl) {
    this.typeUrl = requireNonNull(typeUrl);
  }

  /** What it is called between servers. */
  public String typeUrl() {
    return typeUrl;
  }
}
