package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.FunctionRef;
import org.jspecify.annotations.Nullable;

/** A function that an attr of a node names, instantiated when it is first needed. Thread-safe. */
public final class FunctionTemplate {
  private final FunctionLookup functions;
  private final FunctionRef ref;
  private @Nullable CallableFunction sample;

  public FunctionTemplate(FunctionLookup functions, FunctionRef ref) {
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
