package io.headrace.dataset.execute;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Functions;
import org.jspecify.annotations.Nullable;

/**
 * A function that an attr of a node names. Instantiated when it is first needed; a stateless one is
 * shared by all passes, of a stateful one each pass gets an instance of its own. Thread-safe.
 */
final class FunctionTemplate {
  private final Functions functions;
  private final FunctionRef ref;
  private @Nullable CallableFunction first;
  private boolean taken;

  FunctionTemplate(Functions functions, FunctionRef ref) {
    this.functions = functions;
    this.ref = ref;
  }

  /** An instance that tells what the function is, not to be called. */
  synchronized CallableFunction sample() {
    if (first == null) {
      first = functions.instantiate(ref);
    }
    return first;
  }

  /** An instance for one pass. */
  synchronized CallableFunction instance() {
    CallableFunction sample = sample();
    if (!sample.isStateful() || !taken) {
      taken = true;
      return sample;
    }
    return functions.instantiate(ref);
  }
}
