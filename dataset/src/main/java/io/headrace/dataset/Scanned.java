package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.graph.Output;
import java.util.List;

/**
 * The result of one step of {@link Dataset#scan}.
 *
 * @param state the state for the next element, of the dtypes of the initial state
 * @param output the resulting element: an Output, or nested Lists and Maps of Outputs
 */
public record Scanned(List<Output> state, Object output) {
  /** Copies the list. */
  public Scanned {
    requireNonNull(state, "state is null");
    requireNonNull(output, "output is null");
    state = List.copyOf(state);
  }

  /** A state of one tensor, and an element. */
  public static Scanned of(Output state, Object output) {
    requireNonNull(output, "output is null");
    requireNonNull(state, "state is null");
    return new Scanned(List.of(state), output);
  }
}
