package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps that block on a queue until other steps enqueue or dequeue. */
@Timeout(120)
final class WaitingStepsTest {
  private final Server server = Server.startLocal();
  private final Graph g = new Graph();
  private final Output queue = queue("numbers", 4);

  @AfterEach
  void stop() {
    server.stop();
  }

  private Output queue(String name, int capacity) {
    return g.op("FIFOQueueV2")
        .types("component_types", List.of(DataType.INT32))
        .shapes("shapes", List.of(Shape.SCALAR))
        .attr("capacity", capacity)
        .attr("shared_name", name)
        .build();
  }

  private Operation enqueue(Output into, int... values) {
    return g.op("QueueEnqueueManyV2")
        .input(into)
        .inputs(List.of(g.constant(Tensor.vector(values))))
        .types("Tcomponents", List.of(DataType.INT32))
        .buildOperation();
  }

  private NodeBuilder dequeue(Output from) {
    return g.op("QueueDequeueV2").input(from).types("component_types", List.of(DataType.INT32));
  }

  private Output dequeueMany(int count) {
    return g.op("QueueDequeueManyV2")
        .input(queue)
        .input(Tensor.scalar(count))
        .types("component_types", List.of(DataType.INT32))
        .build();
  }

  private Output size() {
    return g.op("QueueSizeV2").input(queue).build();
  }

  private static void awaitValue(int expected, Supplier<Tensor> value) throws InterruptedException {
    while (value.get().integer(0) != expected) {
      Thread.sleep(5);
    }
  }

  private static <T> CompletableFuture<T> start(Supplier<T> step) {
    return CompletableFuture.supplyAsync(step, Thread::startVirtualThread);
  }

  @Test
  void stepsThatWait_leaveThreadsForThoseThatTheyWaitFor() {
    Output taken = dequeue(queue).build();
    Operation put = enqueue(queue, 1, 2, 3, 4, 5, 6, 7, 8);
    try (Session s = Session.open(server.target(), g)) {
      List<CompletableFuture<Tensor>> waiting = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        waiting.add(start(() -> s.run(taken)));
      }
      for (int i = 0; i < 8; i++) {
        s.run(put);
      }
      assertThat(waiting.stream().mapToLong(step -> step.join().integer(0)).sum())
          .isEqualTo(8 * 36);
    }
  }

  @Test
  void dequeueOfSeveral_whenCancelled_givesBackWhatItTook() throws InterruptedException {
    Operation put = enqueue(queue, 5, 6);
    Output taken = dequeueMany(3);
    Output two = dequeueMany(2);
    Output size = size();
    Cancellation cancellation = new Cancellation();
    try (Session s = Session.open(server.target(), g)) {
      s.run(put);
      CompletableFuture<Throwable> step =
          start(
              () -> catchThrowable(() -> s.runner().fetch(taken).cancelledBy(cancellation).run()));
      awaitValue(0, () -> s.run(size));
      cancellation.cancel();
      assertThat(StatusException.codeOf(step.join())).isEqualTo(StatusCode.CANCELLED);
      awaitValue(2, () -> s.run(size));
      assertThat(s.run(two).integers()).containsExactly(5, 6);
    }
  }

  @Test
  void stepThatTakesTooLong_isEnded_andItsSessionGoesOn() {
    Operation put = enqueue(queue, 9);
    Output taken = dequeue(queue).build();
    Output size = size();
    Duration longest = Duration.ofMillis(100);
    try (Session s = Session.open(server.target(), g)) {
      var _ = s.run(size); // creates the session, so that only the step takes time
      assertThatThrownBy(() -> s.runner().timeout(longest).fetch(taken).run())
          .satisfies(
              e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
      s.run(put);
      Duration enough = Duration.ofMinutes(1);
      assertThat(s.runner().timeout(enough).fetch(taken).run().getFirst().integer(0)).isEqualTo(9);
    }
  }

  @Test
  void closedSession_takesNothingAnyMore_andOthersGoOn() throws InterruptedException {
    Operation put = enqueue(queue, 1, 2, 3, 4, 5, 6);
    Output taken = dequeueMany(4);
    Output size = size();
    try (Session other = Session.open(server.target(), g)) {
      Session s = Session.open(server.target(), g);
      CompletableFuture<Throwable> step = start(() -> catchThrowable(() -> s.run(put)));
      awaitValue(4, () -> other.run(size));
      s.close();
      assertThat(StatusException.codeOf(step.join())).isEqualTo(StatusCode.CANCELLED);
      assertThat(other.run(taken).integers()).containsExactly(1, 2, 3, 4);
      assertThat(other.run(size).integer(0)).isZero();
    }
  }

  @Test
  void shutdownQueues_letTasksWaitForOneAnother() {
    Output done = queue("done", 8);
    Operation finish = enqueue(done, 1);
    NodeBuilder first = dequeue(done);
    Operation one = first.buildOperation();
    Operation both = dequeue(done).after(one).buildOperation();
    try (Session chief = Session.open(server.target(), g);
        Session worker = Session.open(server.target(), g)) {
      CompletableFuture<Boolean> ended =
          start(() -> {
            chief.run(both);
            return true;
          });
      worker.run(finish);
      assertThat(ended).isNotDone();
      worker.run(finish);
      assertThat(ended.join()).isTrue();
    }
  }

  @Test
  void closedQueue_isOutOfRange() {
    Operation close = g.op("QueueCloseV2").input(queue).buildOperation();
    Output taken = dequeue(queue).build();
    try (Session s = Session.open(server.target(), g)) {
      s.run(close);
      assertThatThrownBy(() -> s.run(taken))
          .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.OUT_OF_RANGE))
          .hasMessageContaining(
              "FIFOQueue 'numbers' is closed and has insufficient elements (requested 1, current"
                  + " size 0)");
    }
  }
}
