package io.headrace.runtime.op;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** The function library of a graph, for kernels that call functions. Thread-safe. */
public interface Functions {
  /**
   * An instance of the function, with kernels, and so random states, of its own. NOT_FOUND if the
   * library has no such function; UNIMPLEMENTED naming op and node if it holds an op that is not
   * supported; INVALID_ARGUMENT if it is malformed or calls itself.
   */
  CallableFunction instantiate(FunctionRef function);

  /** A function library without functions. */
  static Functions none() {
    return function -> {
      throw new StatusException(StatusCode.NOT_FOUND, "there is no function " + function.name());
    };
  }
}
