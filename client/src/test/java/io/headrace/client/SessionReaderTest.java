package io.headrace.client;

import static io.headrace.client.SharedNumbers.assertAll;
import static io.headrace.client.SharedNumbers.named;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.Session;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers of a named job that use a session's iterator. */
@Timeout(120)
final class SessionReaderTest {
  private final SharedNumbers numbers = new SharedNumbers();
  private final Graph g = new Graph();

  @AfterEach
  void stop() throws Exception {
    numbers.close();
  }

  private NodeBuilder typed(String op) {
    return g.op(op)
        .types("output_types", List.of(DataType.INT64))
        .shapes("output_shapes", List.of(Shape.UNKNOWN));
  }

  private static DistributeOptions exactlyOnce() {
    return named().withGuarantee(Guarantee.EXACTLY_ONCE);
  }

  private Output dataset() {
    GraphDef graph = numbers.dataset(exactlyOnce()).toGraphDef();
    String result = graph.getNode(graph.getNodeCount() - 1).getInput(0);
    return g.importGraph(graph, List.of(result)).getFirst();
  }

  @Test
  void sessionThatLeavesInMidEpoch_leavesTheOthersWhatItDidNotTake() {
    Output iterator = typed("IteratorV2").attr("shared_name", "").attr("container", "").build();
    Operation start = g.op("MakeIterator").input(dataset()).input(iterator).buildOperation();
    Output next = typed("IteratorGetNext").input(iterator).build();
    List<Long> taken = new ArrayList<>();
    try (Server server = Server.startLocal();
        Session session = Session.open(server.target(), g)) {
      session.run(start);
      for (int i = 0; i < 40; i++) {
        taken.addAll(SharedNumbers.numbers(session.run(next)));
      }
    }

    assertAll(List.of(taken, numbers.read(exactlyOnce()).rest()));
  }
}
