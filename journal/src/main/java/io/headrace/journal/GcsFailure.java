package io.headrace.journal;

/**
 * A request to Cloud Storage that got no answer, or an error. Whether a change that it asked for
 * was made is unknown unless {@link #isRefusal}.
 */
final class GcsFailure extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;

  /** With the HTTP {@code status} of the answer; 0 if there was none. */
  GcsFailure(int status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  GcsFailure(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }

  /** Whether it may go by soon: no answer in time, too many requests, or trouble over there. */
  boolean isTransient() {
    return status == 0 || status == 408 || status == 429 || status >= 500;
  }

  /** Whether the service has said that it will not do this. */
  boolean isRefusal() {
    return !isTransient();
  }
}
