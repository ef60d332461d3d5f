package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The stateful functions of one pass: each has one instance, so that its random states go on where
 * a part of the pipeline is read again (repeated, interleaved), and begin anew in the next pass.
 * Thread-safe.
 */
final class PassFunctions {
  private final Map<FunctionTemplate, CallableFunction> instances = new ConcurrentHashMap<>();

  /** The pass's instance of {@code template}. */
  CallableFunction instance(FunctionTemplate template) {
    return template.isStateful()
        ? instances.computeIfAbsent(template, FunctionTemplate::newInstance)
        : template.sample();
  }
}
