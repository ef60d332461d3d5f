package io.headrace.cluster.master;

import io.headrace.cluster.plan.SharedPlan;
import io.headrace.cluster.plan.Signature;
import io.headrace.proto.tensorflow.CallableOptions;
import io.headrace.proto.tensorflow.TensorConnection;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The steps of a session that its clients call by numbers, each with its plan. Thread-safe. */
final class Callables {
  /**
   * A step that is called by a number.
   *
   * @param options how it was asked for
   * @param shared how it runs
   */
  private record Callable(CallableOptions options, SharedPlan shared) {}

  private final Map<Long, Callable> callables = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  /**
   * What {@code options} ask for.
   *
   * @throws StatusException INVALID_ARGUMENT if they contradict themselves
   */
  static Signature signature(CallableOptions options) {
    Map<String, String> connections = new HashMap<>();
    for (TensorConnection connection : options.getTensorConnectionList()) {
      connections.put(connection.getToTensor(), connection.getFromTensor());
    }
    return Signature.of(
        options.getFeedList(), options.getFetchList(), options.getTargetList(), connections, false);
  }

  /** Adds one, which {@code plan} is of from now on; returns what to call it by. */
  long add(CallableOptions options, SharedPlan plan) {
    long number = numbers.getAndIncrement();
    callables.put(number, new Callable(options, plan));
    return number;
  }

  /** How one was asked for; INVALID_ARGUMENT if there is none, or none any more. */
  CallableOptions options(long number) {
    return find(number).options();
  }

  /** Its plan, to be released after its use; INVALID_ARGUMENT as of {@link #options}. */
  SharedPlan use(long number) {
    SharedPlan plan = find(number).shared();
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

  /** Forgets one, once its steps are over. Does nothing if there is none. */
  void release(long number) {
    Callable callable = callables.remove(number);
    if (callable != null) {
      callable.shared().retire();
    }
  }
}
