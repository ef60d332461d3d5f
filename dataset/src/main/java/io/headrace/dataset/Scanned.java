package io.headrace.dataset;

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
    state = List.copyOf(state);
  }

  /** A state of one tensor, and an element. */
  public static Scanned of(Output state, Object output) {
    return new Scanned(List.of(state), output);
  }
}
