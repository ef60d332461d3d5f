package io.headrace.journal;

/**
 * A request to Cloud Storage that failed or was not answered. Unless {@link #isRefusal}, the
 * service may have carried it out.
 */
final class GcsFailure extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;

  /** A failure with the HTTP {@code status} of the answer; 0 if there was none. */
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

  /** Whether a retry may succeed: a timeout, a rate limit, or an error of the service. */
  boolean isTransient() {
    return status == 0 || status == 408 || status == 429 || status >= 500;
  }

  /** Whether the service has refused the request for good. */
  boolean isRefusal() {
    return !isTransient();
  }
}
