package io.headrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Runner;
import io.headrace.cluster.Session;
import io.headrace.cluster.Variable;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import java.util.Arrays;
import java.util.Scanner;

/**
 * A Java session that measures on command: {@code SessionSteps TARGET GRAPH}, with the graphs and
 * the protocol of {@code stock_session.py}.
 */
@SuppressWarnings("SystemOut") // standard output carries the results
final class SessionSteps {
  private static final double NANOS = 1e9;
  private static final int NODES = 10;
  private static final int LARGE = 16 << 20;
  private static final int SIDE = 1024;

  private final Graph graph = new Graph();

  private SessionSteps() {}

  /** Runs until its input ends. */
  public static void main(String[] args) {
    new SessionSteps().run(args[0], args[1]);
  }

  private void run(String target, String name) {
    try (Session session = Session.open(target, graph)) {
      Runner runner =
          switch (name) {
            case "chain" -> chain(session);
            case "pair" -> pair(session);
            case "transfer" -> transfer(session);
            case "product" -> product(session);
            default -> throw new IllegalArgumentException("no such graph: " + name);
          };
      session.run(graph.initializer());
      var _ = runner.run();
      System.out.println("ready");
      answer(runner);
    }
  }

  private Runner chain(Session session) {
    Output x = graph.placeholder(DataType.FLOAT32, Shape.SCALAR);
    Output y = x;
    for (int i = 0; i < NODES - 1; i++) {
      y = i % 2 == 0 ? y.mul(x) : y.sub(x);
    }
    return session.runner().feed(x, Tensor.scalar(1f)).fetch(y);
  }

  private Runner pair(Session session) {
    Output y = atPs(Tensor.scalar(1f));
    try (var _ = graph.device("/job:worker/task:0")) {
      return session.runner().fetch(y.abs());
    }
  }

  private Runner transfer(Session session) {
    float[] ones = new float[LARGE];
    Arrays.fill(ones, 1);
    Output y = atPs(Tensor.vector(ones));
    try (var _ = graph.device("/job:worker/task:0")) {
      return session.runner().fetch(y.slice(new long[] {0}, new long[] {1}));
    }
  }

  private Runner product(Session session) {
    float[] elements = new float[SIDE * SIDE];
    Arrays.fill(elements, 0.5f);
    Output x =
        graph.variable("x", Tensor.wrap(DataType.FLOAT32, Shape.of(SIDE, SIDE), elements)).value();
    return session.runner().fetch(x.matmul(x).slice(new long[] {0, 0}, new long[] {1, 1}));
  }

  private Output atPs(Tensor initial) {
    try (var _ = graph.device("/job:ps/task:0")) {
      Variable variable = graph.variable("y", initial);
      return variable.value();
    }
  }

  private static void answer(Runner runner) {
    var input = new Scanner(System.in, UTF_8);
    while (input.hasNext()) {
      input.next("read");
      double nanos = input.nextDouble() * NANOS;
      long started = SystemTicker.INSTANCE.nanoTime();
      long steps = 0;
      long took = 0;
      while (took < nanos) {
        var _ = runner.run();
        steps++;
        took = SystemTicker.INSTANCE.nanoTime() - started;
      }
      System.out.println("read " + steps + " " + took / NANOS);
    }
  }
}
