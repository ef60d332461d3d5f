package io.headrace.runtime.status;

/**
 * TensorFlow's status codes, which equal gRPC's by number. The code tells the caller how to react;
 * the message names the error and what is expected.
 */
public enum StatusCode {
  /** Not an error. */
  OK(0),
  /** The caller, or a server shutting down, cancelled the operation. Retried by readers. */
  CANCELLED(1),
  /** Unknown error. */
  UNKNOWN(2),
  /** The request is invalid, whatever the state of the system. */
  INVALID_ARGUMENT(3),
  /** The deadline expired. */
  DEADLINE_EXCEEDED(4),
  /** The requested entity does not exist. */
  NOT_FOUND(5),
  /** The entity to create already exists. */
  ALREADY_EXISTS(6),
  /** The caller lacks permission. */
  PERMISSION_DENIED(7),
  /** A limit (memory, message size, quota) would be exceeded. */
  RESOURCE_EXHAUSTED(8),
  /** The system is not in the state that the operation requires; a retry alone does not help. */
  FAILED_PRECONDITION(9),
  /** A conflict with another operation. Retried by readers. */
  ABORTED(10),
  /** A value is out of range, as a read past the end. */
  OUT_OF_RANGE(11),
  /** Not supported here. */
  UNIMPLEMENTED(12),
  /** A bug. */
  INTERNAL(13),
  /** Temporarily unavailable. Retried by readers. */
  UNAVAILABLE(14),
  /** Data was lost or is corrupt. */
  DATA_LOSS(15),
  /** The caller is not authenticated. */
  UNAUTHENTICATED(16);

  private final int number;

  StatusCode(int number) {
    this.number = number;
  }

  /** The number of this code in TensorFlow and gRPC. */
  public int number() {
    return number;
  }

  /** The code with {@code number}; {@link #UNKNOWN} for unassigned numbers. */
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
   * Whether stock TensorFlow peers retry after this code: UNAVAILABLE, ABORTED and CANCELLED only.
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
