package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The instances of stateful functions in one pass. Each function has one, so that its random state
 * continues where a part of the pipeline is read again (repeat, interleave), and starts anew in the
 * next pass. Thread-safe.
 */
final class StatefulFunctions {
  private final Map<FunctionTemplate, CallableFunction> instances = new ConcurrentHashMap<>();

  /** The pass's instance of {@code template}. */
  CallableFunction instance(FunctionTemplate template) {
    return template.isStateful()
        ? instances.computeIfAbsent(template, FunctionTemplate::newInstance)
        : template.sample();
  }
}
