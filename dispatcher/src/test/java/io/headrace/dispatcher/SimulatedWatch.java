package io.headrace.dispatcher;

import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.IterationUpdates;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A watch stream from the dispatcher to a reader of a {@link Simulation}. Messages arrive in order
 * until the stream breaks; each side notices that at a time of its own.
 */
final class SimulatedWatch implements IterationWatchers.Watcher {
  private static final long SECOND = 1_000_000_000;

  private final Simulation simulation;
  private final VirtualProcess reader;
  private final String name;
  private final long client;
  private final Consumer<WatchIterationResponse> onChange;
  private final Consumer<Throwable> onEnd;
  private final boolean acceptsChanges;
  private WatchIterationResponse state = WatchIterationResponse.getDefaultInstance();
  private long lastArrivalNanos;
  private Runnable cancel = () -> {};
  private boolean open;
  private boolean closed;
  private boolean broken;
  private boolean ended;

  /** Opens a stream. {@code onEnd} is called once, unless the stream ends in order. */
  SimulatedWatch(
      Simulation simulation,
      VirtualProcess reader,
      String name,
      long client,
      Consumer<WatchIterationResponse> onChange,
      Consumer<Throwable> onEnd) {
    this.simulation = simulation;
    this.reader = reader;
    this.name = name;
    this.client = client;
    this.onChange = onChange;
    this.onEnd = onEnd;
    acceptsChanges = client % 4 > 0;
    var _ =
        simulation
            .<Boolean>ask(reader, name, this::open)
            .whenComplete((_, failure) -> {
              if (failure != null) {
                end(failure);
              }
            });
  }

  private CompletableFuture<Boolean> open(Dispatcher dispatcher) {
    VirtualProcess server = simulation.dispatcherProcess();
    cancel = () -> server.after(simulation.network().delayNanos(), () -> leave(dispatcher));
    server.atDeath(() -> breakOff());
    reader.atDeath(() -> cancel.run());
    if (ended || !reader.isAlive()) {
      cancel.run(); // the call arrives after the reader has left
    }
    if (simulation.random().nextInt(4) == 0) {
      server.after(
          simulation.random().nextLong(20 * SECOND),
          () -> {
            breakOff();
            cancel.run();
          });
    }
    CompletableFuture<Boolean> opened = dispatcher.watch(client, this, acceptsChanges);
    return opened.whenComplete((_, failure) -> {
      if (failure != null) {
        leave(dispatcher);
      } else if (!closed) {
        open = true;
        simulation.ledger().watches(client, true);
      }
    });
  }

  /** Ends the stream from the reader's side; nothing more is delivered. */
  void end() {
    ended = true;
    cancel.run();
  }

  private void leave(Dispatcher dispatcher) {
    close();
    dispatcher.unwatch(client, this);
  }

  /** The dispatcher no longer counts the client as watching. */
  private void close() {
    closed = true;
    if (open) {
      open = false;
      simulation.ledger().watches(client, false);
    }
  }

  @Override
  public void tell(WatchIterationResponse response) {
    if (response.getIterationFinished()) {
      close();
    }
    deliver(() -> {
      if (ended) {
        return;
      }
      ended |= response.getIterationFinished();
      state = IterationUpdates.merge(state, response);
      onChange.accept(state);
    });
  }

  @Override
  public void fail(StatusException reason) {
    close();
    deliver(() -> end(reason));
  }

  private void deliver(Runnable message) {
    lastArrivalNanos =
        Math.max(lastArrivalNanos + 1, simulation.now() + simulation.network().delayNanos());
    reader.after(
        lastArrivalNanos - simulation.now(),
        () -> {
          if (!broken && !simulation.network().isCut(name, Simulation.DISPATCHER)) {
            message.run();
          } else {
            breakOff();
          }
        });
  }

  private void breakOff() {
    if (!broken && !ended) {
      broken = true;
      reader.after(
          simulation.network().delayNanos(),
          () -> end(new StatusException(StatusCode.UNAVAILABLE, "the stream broke")));
    }
  }

  private void end(Throwable failure) {
    if (!ended) {
      ended = true;
      cancel.run();
      onEnd.accept(failure);
    }
  }
}
