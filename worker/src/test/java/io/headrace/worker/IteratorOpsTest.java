package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.Session;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions whose graphs iterate over datasets; more of them in the interop tests. */
@Timeout(120)
final class IteratorOpsTest {
  private final Server server = Server.startLocal();
  private final Graph g = new Graph();

  @AfterEach
  void stop() {
    server.close();
  }

  private NodeBuilder typed(String op) {
    return g.op(op)
        .types("output_types", List.of(DataType.INT64))
        .shapes("output_shapes", List.of(Shape.SCALAR));
  }

  private Output range(long end) {
    return typed("RangeDataset")
        .input(g.constant(0L))
        .input(g.constant(end))
        .input(g.constant(1L))
        .build();
  }

  private Output iterator(String sharedName) {
    return typed("IteratorV2").attr("shared_name", sharedName).attr("container", "").build();
  }

  private Operation make(Output iterator, Output dataset) {
    return g.op("MakeIterator").input(dataset).input(iterator).buildOperation();
  }

  private Output next(Output iterator) {
    return typed("IteratorGetNext").input(iterator).build();
  }

  private static long number(Session session, Output next) {
    return session.run(next).integer(0);
  }

  @Test
  void initializedIterator_goesOnFromStepToStep() {
    Output iterator = iterator("");
    Operation start = make(iterator, range(2));
    Output next = next(iterator);
    try (Session session = Session.open(server.target(), g)) {
      assertThatThrownBy(() -> session.run(next))
          .hasMessageContaining("has not been initialized")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.FAILED_PRECONDITION);
      session.run(start);
      assertThat(number(session, next)).isZero();
      assertThat(number(session, next)).isEqualTo(1);
      assertThatThrownBy(() -> session.run(next))
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.OUT_OF_RANGE);
      session.run(start);
      assertThat(number(session, next)).isZero();
    }
  }

  @Test
  void iteratorWithoutASharedName_isItsSessions() {
    Output iterator = iterator("");
    Operation start = make(iterator, range(5));
    Output next = next(iterator);
    try (Session first = Session.open(server.target(), g);
        Session second = Session.open(server.target(), g)) {
      first.run(start);
      assertThat(number(first, next)).isZero();
      second.run(start);
      assertThat(number(second, next)).isZero();
      assertThat(number(first, next)).isEqualTo(1);
    }
  }

  @Test
  void textOfAnIterator_findsItUntilTheSessionEnds() {
    Output iterator = iterator("");
    Operation start = make(iterator, range(5));
    Output text = g.op("IteratorToStringHandle").input(iterator).build();
    Output given = g.placeholder(DataType.STRING, Shape.SCALAR);
    Output next = next(g.op("IteratorFromStringHandleV2").input(given).build());
    try (Session other = Session.open(server.target(), g)) {
      Tensor handle;
      try (Session session = Session.open(server.target(), g)) {
        session.run(start);
        handle = session.run(text);
        assertThat(other.runner().feed(given, handle).fetch(next).run().getFirst().integer(0))
            .isZero();
      }
      assertThatThrownBy(() -> other.runner().feed(given, handle).fetch(next).run())
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.NOT_FOUND);
    }
  }

  @Test
  void anonymousIterator_livesForItsStep() {
    Output iterator = typed("AnonymousIteratorV3").build();
    Operation start = make(iterator, range(5));
    Output next = typed("IteratorGetNext").input(iterator).after(start).build();
    try (Session session = Session.open(server.target(), g)) {
      assertThat(number(session, next)).isZero();
      assertThat(number(session, next)).isZero();
    }
  }
}
