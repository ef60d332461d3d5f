package io.headrace.runtime.status;

import static java.util.Objects.requireNonNull;

/**
 * Status payloads that TensorFlow's servers exchange beside code and message. A payload has no
 * value; its presence is the information.
 */
public enum StatusPayload {
  /**
   * The error derives from another one, which cancelled or aborted the operation. The client of a
   * step is told an error that is not derived.
   */
  DERIVED("type.googleapis.com/tensorflow.DerivedStatus"),

  /** The task does not know the caller's state, probably because it has restarted. */
  WORKER_POSSIBLY_RESTARTED(
      "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted");

  private final String typeUrl;

  StatusPayload(String typeUrl) {
    this.typeUrl = requireNonNull(typeUrl);
  }

  /** The type URL of the payload on the wire. */
  public String typeUrl() {
    return typeUrl;
  }
}
