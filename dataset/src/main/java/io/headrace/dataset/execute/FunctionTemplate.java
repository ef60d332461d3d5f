package io.headrace.dataset.execute;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Functions;
import org.jspecify.annotations.Nullable;

/** A function that an attr of a node names, instantiated when it is first needed. Thread-safe. */
final class FunctionTemplate {
  private final Functions functions;
  private final FunctionRef ref;
  private @Nullable CallableFunction sample;

  FunctionTemplate(Functions functions, FunctionRef ref) {
    this.functions = functions;
    this.ref = ref;
  }

  /** An instance that tells what the function is; not to be called if it is stateful. */
  synchronized CallableFunction sample() {
    if (sample == null) {
      sample = functions.instantiate(ref);
    }
    return sample;
  }

  boolean isStateful() {
    return sample().isStateful();
  }

  /** An instance with states of its own. */
  CallableFunction newInstance() {
    return functions.instantiate(ref);
  }
}
