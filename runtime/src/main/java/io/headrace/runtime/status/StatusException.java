package io.headrace.runtime.status;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.EnumSet;
import java.util.Locale;

/**
 * The exception type of the system: a {@link StatusCode} and a message that names the subject of
 * the error (node, op, attr, file and record, flag) and the expected value. Immutable.
 */
public final class StatusException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final StatusCode code;
  private final EnumSet<StatusPayload> payloads;

  /** An exception with {@code code} and a literal message. */
  public StatusException(StatusCode code, String message) {
    super(requireNonNull(message));
    this.code = requireNonNull(code);
    this.payloads = EnumSet.noneOf(StatusPayload.class);
  }

  /** An exception with a cause, whose payloads it inherits. */
  public StatusException(StatusCode code, String message, Throwable cause) {
    super(requireNonNull(message), cause);
    this.code = requireNonNull(code);
    this.payloads =
        cause instanceof StatusException e
            ? EnumSet.copyOf(e.payloads)
            : EnumSet.noneOf(StatusPayload.class);
  }

  /** An exception with a formatted message. */
  @FormatMethod
  public static StatusException of(
      StatusCode code, @FormatString String format, Object... arguments) {
    return new StatusException(code, String.format(Locale.ROOT, format, arguments));
  }

  /** Shorthand for {@link StatusCode#INVALID_ARGUMENT}. */
  @FormatMethod
  public static StatusException invalidArgument(@FormatString String format, Object... arguments) {
    return of(StatusCode.INVALID_ARGUMENT, format, arguments);
  }

  /** Shorthand for {@link StatusCode#UNIMPLEMENTED}. */
  @FormatMethod
  public static StatusException unimplemented(@FormatString String format, Object... arguments) {
    return of(StatusCode.UNIMPLEMENTED, format, arguments);
  }

  /** The code of {@code failure}: its own if it is a StatusException, INTERNAL otherwise. */
  public static StatusCode codeOf(Throwable failure) {
    return failure instanceof StatusException e ? e.code : StatusCode.INTERNAL;
  }

  /** The status code. */
  public StatusCode code() {
    return code;
  }

  /** The class, the code and the message: {@code ...StatusException: NOT_FOUND: no file /x}. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // the message travels to peers beside its code
  public String toString() {
    return getClass().getName() + ": " + code + ": " + getMessage();
  }

  /** The message, never null. Without the code, which travels beside it. */
  public String message() {
    return requireNonNull(getMessage());
  }

  /** This error with {@code context} and a colon prepended to its message, and the same code. */
  public StatusException in(String context) {
    return new StatusException(code, context + ": " + message(), this);
  }

  /** Whether the error has {@code payload}. */
  public boolean has(StatusPayload payload) {
    return payloads.contains(payload);
  }

  /** This error with {@code payload} added. */
  public StatusException with(StatusPayload payload) {
    if (has(payload)) {
      return this;
    }
    StatusException more = new StatusException(code, message(), this);
    more.payloads.add(payload);
    return more;
  }

  /**
   * This error as the reason with which other operations are aborted: marked {@link
   * StatusPayload#DERIVED} if it is itself only a cancellation or an abort.
   */
  public StatusException asReasonOfOthers() {
    return code == StatusCode.CANCELLED || code == StatusCode.ABORTED
        ? with(StatusPayload.DERIVED)
        : this;
  }
}
