package io.headrace.cluster.master;

import io.headrace.cluster.plan.RefCountedPlan;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.proto.tensorflow.CallableOptions;
import io.headrace.proto.tensorflow.TensorConnection;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The callables of a session (MakeCallable), each with its plan. Thread-safe. */
final class Callables {
  /**
   * A callable.
   *
   * @param options the client's request
   * @param shared the plan
   */
  private record Callable(CallableOptions options, RefCountedPlan shared) {}

  private final Map<Long, Callable> callables = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  /**
   * The signature of {@code options}.
   *
   * @throws StatusException INVALID_ARGUMENT if they are inconsistent
   */
  static StepSignature signature(CallableOptions options) {
    Map<String, String> connections = new HashMap<>();
    for (TensorConnection connection : options.getTensorConnectionList()) {
      connections.put(connection.getToTensor(), connection.getFromTensor());
    }
    return StepSignature.of(
        options.getFeedList(), options.getFetchList(), options.getTargetList(), connections, false);
  }

  /**
   * Adds a callable, which takes ownership of {@code plan}.
   *
   * @return its handle
   */
  long add(CallableOptions options, RefCountedPlan plan) {
    long number = numbers.getAndIncrement();
    callables.put(number, new Callable(options, plan));
    return number;
  }

  /** The options of a callable; INVALID_ARGUMENT if it is unknown or was released. */
  CallableOptions options(long number) {
    return find(number).options();
  }

  /** The plan of a callable, which the caller releases; fails as {@link #options} does. */
  RefCountedPlan use(long number) {
    RefCountedPlan plan = find(number).shared();
    if (!plan.use(1)) {
      throw released(number);
    }
    return plan;
  }

  private Callable find(long number) {
    Callable callable = callables.get(number);
    if (callable != null) {
      return callable;
    }
    if (number >= 0 && number < numbers.get()) {
      throw released(number);
    }
    throw StatusException.invalidArgument("No such callable handle: %d", number);
  }

  private static StatusException released(long number) {
    return StatusException.invalidArgument(
        "Attempted to run callable after handle was released: %d", number);
  }

  /**
   * Removes a callable; its plan is deregistered when its steps have ended. No effect if it is
   * unknown.
   */
  void release(long number) {
    Callable callable = callables.remove(number);
    if (callable != null) {
      callable.shared().retire();
    }
  }
}
