package io.headrace.runtime.execute;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Node errors, in TensorFlow's format. */
final class NodeErrors {
  private static final String IN_FUNCTION = " [[{{node ";
  private static final String IN_SESSION = "\n\t [[{{node ";

  private NodeErrors() {}

  /** {@code failure} with the node's name appended, unless its message names a node already. */
  static StatusException at(StatusException failure, String node) {
    return failure.message().contains("[[{{node ")
        ? failure
        : new StatusException(
            failure.code(), failure.message() + "\n\t [[{{node " + node + "}}]]", failure);
  }

  /** {@code failure} with the node's name, if it has one, in a line of its own. */
  static StatusException inSession(StatusException failure) {
    String message = failure.message();
    int at = message.lastIndexOf(IN_FUNCTION);
    return at < 0
        ? failure
        : new StatusException(
            failure.code(),
            message.substring(0, at) + IN_SESSION + message.substring(at + IN_FUNCTION.length()),
            failure);
  }

  /**
   * The error that a kernel of {@code node} threw, or that its future completed with, as a
   * StatusException that names the node.
   */
  static StatusException of(Throwable thrown, String op, String node) {
    Throwable failure = thrown;
    @Nullable Throwable cause = failure.getCause();
    if (failure instanceof CompletionException && cause != null) {
      failure = cause;
    }
    return switch (failure) {
      case StatusException e -> at(e, node);
      case CancellationException e ->
          at(new StatusException(StatusCode.CANCELLED, "the operation was cancelled", e), node);
      case OutOfMemoryError e ->
          at(
              new StatusException(
                  StatusCode.RESOURCE_EXHAUSTED, "out of memory: " + e.getMessage(), e),
              node);
      default ->
          at(
              new StatusException(StatusCode.INTERNAL, "op " + op + " failed: " + failure, failure),
              node);
    };
  }
}
