package io.headrace.runtime.status;

/**
 * TensorFlow's status codes, which equal gRPC's by number. A code says what the caller can do; the
 * message says what was wrong and what would be right.
 */
public enum StatusCode {
  /** Not an error. */
  OK(0),
  /** The caller, or a server that is shutting down, ended the operation. Retried by readers. */
  CANCELLED(1),
  /** Nothing is known of the failure. */
  UNKNOWN(2),
  /** The request can never succeed as it stands. */
  INVALID_ARGUMENT(3),
  /** The time allowed for the operation ran out. */
  DEADLINE_EXCEEDED(4),
  /** What was asked for is not there. */
  NOT_FOUND(5),
  /** What was to be created is there already. */
  ALREADY_EXISTS(6),
  /** The caller may not do this. */
  PERMISSION_DENIED(7),
  /** A bound (memory, message size, quota) would have been passed. */
  RESOURCE_EXHAUSTED(8),
  /** The system is not in the state that the operation needs; retrying does not help by itself. */
  FAILED_PRECONDITION(9),
  /** A conflict with another operation. Retried by readers. */
  ABORTED(10),
  /** A value lies outside its range, as reading past an end. */
  OUT_OF_RANGE(11),
  /** Not supported here. */
  UNIMPLEMENTED(12),
  /** A bug. */
  INTERNAL(13),
  /** Not now: try again. Retried by readers. */
  UNAVAILABLE(14),
  /** Data was lost or is corrupt. */
  DATA_LOSS(15),
  /** The caller is not known. */
  UNAUTHENTICATED(16);

  private final int number;

  StatusCode(int number) {
    this.number = number;
  }

  /** TensorFlow's and gRPC's number of this code. */
  public int number() {
    return number;
  }

  /** The code with {@code number}; {@link #UNKNOWN} for numbers that are not in use. */
  public static StatusCode ofNumber(int number) {
    return switch (number) {
      case 0 -> OK;
      case 1 -> CANCELLED;
      case 3 -> INVALID_ARGUMENT;
      case 4 -> DEADLINE_EXCEEDED;
      case 5 -> NOT_FOUND;
      case 6 -> ALREADY_EXISTS;
      case 7 -> PERMISSION_DENIED;
      case 8 -> RESOURCE_EXHAUSTED;
      case 9 -> FAILED_PRECONDITION;
      case 10 -> ABORTED;
      case 11 -> OUT_OF_RANGE;
      case 12 -> UNIMPLEMENTED;
      case 13 -> INTERNAL;
      case 14 -> UNAVAILABLE;
      case 15 -> DATA_LOSS;
      case 16 -> UNAUTHENTICATED;
      default -> UNKNOWN;
    };
  }

  /**
   * Whether stock TensorFlow peers try again after this code: UNAVAILABLE, ABORTED and CANCELLED,
   * nothing else.
   */
  public boolean isRetriable() {
    return switch (this) {
      case UNAVAILABLE, ABORTED, CANCELLED -> true;
      case OK,
          UNKNOWN,
          INVALID_ARGUMENT,
          DEADLINE_EXCEEDED,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          RESOURCE_EXHAUSTED,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          INTERNAL,
          DATA_LOSS,
          UNAUTHENTICATED ->
          false;
    };
  }
}
