package io.headrace.dispatcher;

import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The network of a {@link Simulation}. Calls take time and overtake one another, break before or
 * after the callee has handled them, and arrive after their caller has given up.
 */
final class SimulatedNetwork {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  private final VirtualTime time;
  private final RandomGenerator random;
  private final Map<String, Node> nodes = new HashMap<>();
  private final Set<Link> cuts = new HashSet<>();
  private final Map<String, Long> lastTrouble = new HashMap<>();
  private double loss;

  /** A process that listens at an address. */
  private record Node(VirtualProcess process, Object service) {}

  private record Link(String one, String other) {
    static Link of(String one, String other) {
      return one.compareTo(other) < 0 ? new Link(one, other) : new Link(other, one);
    }
  }

  SimulatedNetwork(VirtualTime time, RandomGenerator random) {
    this.time = time;
    this.random = random;
  }

  /** Makes the fraction {@code share} of all calls break. */
  void lose(double share) {
    loss = share;
  }

  void listen(String address, VirtualProcess process, Object service) {
    nodes.put(address, new Node(process, service));
  }

  void cut(String one, String other) {
    cuts.add(Link.of(one, other));
    troubled(one, other);
  }

  void heal(String one, String other) {
    if (cuts.remove(Link.of(one, other))) {
      troubled(one, other);
    }
  }

  void healAll() {
    Set.copyOf(cuts).forEach(link -> heal(link.one, link.other));
  }

  boolean isCut(String one, String other) {
    return cuts.contains(Link.of(one, other));
  }

  /** The service at {@code address} if it is reachable from {@code from}, else null. */
  <S> @Nullable S reach(String from, String address, Class<S> service) {
    Node node = nodes.get(address);
    return node == null || !node.process.isAlive() || isCut(from, address)
        ? null
        : service.cast(node.service);
  }

  /** Records that a fault affects both addresses. */
  void troubled(String one, String other) {
    lastTrouble.put(one, time.elapsedNanos());
    lastTrouble.put(other, time.elapsedNanos());
  }

  /** The time of the last fault at {@code address}; very long ago if there was none. */
  long lastTroubleNanos(String address) {
    return lastTrouble.getOrDefault(address, Long.MIN_VALUE / 2);
  }

  /** A random message delay. */
  long delayNanos() {
    return random.nextInt(20) == 0
        ? random.nextLong(2 * SECOND)
        : MILLI / 10 + random.nextLong(5 * MILLI);
  }

  /**
   * Calls the service at {@code to} from {@code caller}, which is at {@code from}. The result
   * completes while {@code caller} lives, if ever.
   */
  <S, R> CompletableFuture<R> call(
      VirtualProcess caller,
      String from,
      String to,
      Class<S> service,
      Function<S, CompletableFuture<R>> request) {
    CompletableFuture<R> result = new CompletableFuture<>();
    boolean breaks = random.nextDouble() < loss;
    boolean arrives = !breaks || random.nextBoolean();
    boolean late = breaks && random.nextInt(4) == 0;
    long delay = late ? random.nextLong(15 * SECOND) : delayNanos();
    if (isCut(from, to)) {
      fail(caller, result, silenceNanos(), "the connection is silent");
      return result;
    }
    if (breaks) {
      troubled(from, to);
      fail(caller, result, late ? delayNanos() : delay, "the connection broke");
    }
    if (arrives) {
      time.after(delay, () -> arrive(caller, from, to, service, request, result));
    }
    return result;
  }

  private <S, R> void arrive(
      VirtualProcess caller,
      String from,
      String to,
      Class<S> service,
      Function<S, CompletableFuture<R>> request,
      CompletableFuture<R> result) {
    Node node = nodes.get(to);
    if (node == null || !node.process.isAlive()) {
      fail(caller, result, MILLI, "connection refused");
      return;
    }
    if (isCut(from, to)) {
      fail(caller, result, silenceNanos(), "the connection is silent");
      return;
    }
    Runnable dies = () -> fail(caller, result, MILLI, "the connection broke");
    node.process.atDeath(dies);
    var _ =
        ask(request, service.cast(node.service))
            .whenComplete((reply, failure) -> {
              node.process.notAtDeath(dies);
              if (isCut(from, to)) {
                fail(caller, result, silenceNanos(), "the connection is silent");
              } else {
                caller.after(delayNanos(), () -> complete(result, reply, failure));
              }
            });
  }

  private static <S, R> CompletableFuture<R> ask(
      Function<S, CompletableFuture<R>> request, S service) {
    try {
      return request.apply(service);
    } catch (StatusException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static <R> void complete(
      CompletableFuture<R> result, @Nullable R reply, @Nullable Throwable failure) {
    if (failure != null) {
      result.completeExceptionally(UnaryCalls.cause(failure));
    } else {
      result.complete(reply);
    }
  }

  private static <R> void fail(
      VirtualProcess caller, CompletableFuture<R> result, long nanos, String why) {
    caller.after(
        nanos,
        () -> result.completeExceptionally(new StatusException(StatusCode.UNAVAILABLE, why)));
  }

  private long silenceNanos() {
    return 5 * SECOND + random.nextLong(15 * SECOND);
  }
}
