package io.headrace.runtime.op;

import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** The function library of a graph, for kernels that call functions. Thread-safe. */
public interface FunctionLookup {
  /**
   * Instantiates the function, with kernels, and so random state, of its own. NOT_FOUND if the
   * library has no such function; UNIMPLEMENTED naming op and node if it contains an unsupported
   * op; INVALID_ARGUMENT if it is malformed or recursive.
   */
  CallableFunction instantiate(FunctionRef function);

  /**
   * The gradient function of a function. It takes the function's arguments and a gradient per
   * result, and returns a gradient per argument, zeros for an argument on which the results do not
   * depend. It is the gradient registered in the library, or else derived from the function's
   * nodes; UNIMPLEMENTED naming a node without a gradient rule.
   */
  default CallableFunction gradient(FunctionRef function) {
    throw new StatusException(StatusCode.NOT_FOUND, "there is no function " + function.name());
  }

  /** The function, pinned to the device {@code pin}; NOT_FOUND if the library does not have it. */
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
