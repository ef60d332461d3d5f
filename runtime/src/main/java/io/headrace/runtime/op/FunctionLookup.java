package io.headrace.runtime.op;

import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** The function library of a graph, for kernels that call functions. Thread-safe. */
public interface FunctionLookup {
  /**
   * An instance of the function, with kernels, and so random states, of its own. NOT_FOUND if the
   * library has no such function; UNIMPLEMENTED naming op and node if it holds an op that is not
   * supported; INVALID_ARGUMENT if it is malformed or calls itself.
   */
  CallableFunction instantiate(FunctionRef function);

  /**
   * The derivative of a function by its arguments: it takes these, and then a gradient for each
   * result, and gives one for each argument; zeros where the results do not depend on it. What the
   * library says is the function's gradient, or else what follows from its nodes; UNIMPLEMENTED
   * naming a node that has no gradient rule.
   */
  default CallableFunction gradient(FunctionRef function) {
    throw new StatusException(StatusCode.NOT_FOUND, "there is no function " + function.name());
  }

  /** The function as one that runs on the device {@code pin}; NOT_FOUND if there is none. */
  default PinnedFunction pinned(FunctionRef function, String pin) {
    throw new StatusException(StatusCode.NOT_FOUND, "there is no function " + function.name());
  }

  /** A function library without functions. */
  static FunctionLookup none() {
    return function -> {
      throw new StatusException(StatusCode.NOT_FOUND, "there is no function " + function.name());
    };
  }
}
