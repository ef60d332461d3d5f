package io.headrace.runtime.execute;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Errors of nodes, as TensorFlow writes them. */
final class NodeErrors {
  private NodeErrors() {}

  /** The error with the node's name, unless it names one already. */
  static StatusException at(StatusException failure, String node) {
    return failure.message().contains("[[{{node ")
        ? failure
        : new StatusException(
            failure.code(), failure.message() + "\n\t [[{{node " + node + "}}]]", failure);
  }

  /** What a kernel of {@code node} threw, or completed with, as such an error. */
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
