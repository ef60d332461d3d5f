package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Functions with nodes that wait for other nodes of the same function, as stock TensorFlow runs
 * them.
 */
@Timeout(120)
final class WaitingFunctionsTest {
  private static final String INT = "attr { key: \"%s\" value { list { type: DT_INT32 } } } ";

  private final Server server = Server.startLocal();

  @AfterEach
  void stop() {
    server.stop();
  }

  private static String node(String name, String op, String rest) {
    return String.format(Locale.ROOT, "name: \"%s\" op: \"%s\" %s", name, op, rest);
  }

  private static String inBody(String name, String op, String rest) {
    return "node_def { " + node(name, op, rest) + " }\n";
  }

  private static String queue(String name) {
    return "node { "
        + node(
            name,
            "FIFOQueueV2",
            INT.formatted("component_types")
                + "attr { key: \"shapes\" value { list { shape { } } } }"
                + "attr { key: \"capacity\" value { i: 4 } }")
        + " }\n";
  }

  private static String constant(int value) {
    return inBody(
        "c" + value,
        "Const",
        "attr { key: \"dtype\" value { type: DT_INT32 } } attr { key: \"value\" value { tensor {"
            + " dtype: DT_INT32 tensor_shape { } int_val: "
            + value
            + " } } }");
  }

  private static String dequeue(String name, String inputs) {
    return inBody(name, "QueueDequeueV2", inputs + " " + INT.formatted("component_types"));
  }

  private static String enqueue(String name, String inputs) {
    return inBody(name, "QueueEnqueueV2", inputs + " " + INT.formatted("Tcomponents"));
  }

  /** A function of the queues p and q, with an int32 result. */
  private static String function(String name, String body, String result) {
    return "function { signature { name: \""
        + name
        + "\" is_stateful: true input_arg { name: \"p\" type: DT_RESOURCE }"
        + " input_arg { name: \"q\" type: DT_RESOURCE }"
        + " output_arg { name: \"r\" type: DT_INT32 } }\n"
        + body
        + "ret { key: \"r\" value: \""
        + result
        + "\" } }\n";
  }

  private static String call(String name, String function, String inputs) {
    return node(
        name,
        "StatefulPartitionedCall",
        inputs
            + " attr { key: \"Tin\" value { list { type: DT_RESOURCE type: DT_RESOURCE } } } "
            + INT.formatted("Tout")
            + "attr { key: \"f\" value { func { name: \""
            + function
            + "\" } } }");
  }

  private static GraphDef graph(String functions) throws TextFormat.ParseException {
    return TextFormat.parse(
        queue("p")
            + queue("q")
            + "node { "
            + call("f", "f", "input: \"p\" input: \"q\"")
            + " } library { "
            + functions
            + " }",
        GraphDef.class);
  }

  private Tensor run(String functions) throws TextFormat.ParseException {
    try (Session session = open(functions)) {
      return session.runner().fetch(TensorName.parse("f")).run().getFirst();
    }
  }

  private Session open(String functions) throws TextFormat.ParseException {
    return Session.open(server.target(), graph(functions), ConfigProto.getDefaultInstance());
  }

  @Test
  void dequeue_beforeTheEnqueueThatItWaitsFor_getsWhatThatPuts() throws Exception {
    Tensor result =
        run(
            function(
                "f",
                dequeue("d", "input: \"q\"")
                    + constant(7)
                    + enqueue("e", "input: \"q\" input: \"c7:output:0\""),
                "d:components:0"));

    assertThat(result.integer(0)).isEqualTo(7);
  }

  @Test
  void nodesThatWaitForOneAnother_inTurn_allEnd() throws Exception {
    Tensor result =
        run(
            function(
                "f",
                dequeue("last", "input: \"p\" input: \"^back\"")
                    + dequeue("there", "input: \"q\"")
                    + enqueue("back", "input: \"p\" input: \"there:components:0\"")
                    + constant(5)
                    + enqueue("first", "input: \"q\" input: \"c5:output:0\""),
                "last:components:0"));

    assertThat(result.integer(0)).isEqualTo(5);
  }

  @Test
  void controlInput_ofANodeThatWaits_isHeeded() throws Exception {
    Tensor result =
        run(
            function(
                "f",
                dequeue("d", "input: \"q\"")
                    + inBody("size", "QueueSizeV2", "input: \"q\" input: \"^d\"")
                    + constant(7)
                    + enqueue("e", "input: \"q\" input: \"c7:output:0\""),
                "size:size:0"));

    assertThat(result.integer(0)).isZero();
  }

  @Test
  void calledFunctions_waitForOneAnother() throws Exception {
    Tensor result =
        run(
            function(
                    "f",
                    "node_def { "
                        + call("taken", "take", "input: \"p\" input: \"q\"")
                        + " } node_def { "
                        + call("put", "give", "input: \"p\" input: \"q\"")
                        + " }",
                    "taken:output:0")
                + function("take", dequeue("d", "input: \"q\""), "d:components:0")
                + function(
                    "give",
                    constant(9) + enqueue("e", "input: \"q\" input: \"c9:output:0\""),
                    "c9:output:0"));

    assertThat(result.integer(0)).isEqualTo(9);
  }

  @Test
  void failure_endsThoseThatWait() throws Exception {
    String functions =
        function(
            "f",
            dequeue("d", "input: \"q\"")
                + constant(0)
                + inBody(
                    "bad",
                    "FloorDiv",
                    "input: \"c0:output:0\" input: \"c0:output:0\" attr { key: \"T\" value { type:"
                        + " DT_INT32 } }")
                + enqueue("e", "input: \"q\" input: \"bad:z:0\""),
            "d:components:0");

    try (Session session = open(functions)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> session.runner().fetch(TensorName.parse("f")).run())
            .hasMessageContaining("bad")
            .extracting(StatusException::codeOf)
            .isEqualTo(StatusCode.INVALID_ARGUMENT);
      }
    }
  }

  @Test
  void functionThatWaitsForNobody_endsWhenItIsCancelled_atAnyMoment() throws Exception {
    String functions = function("f", dequeue("d", "input: \"q\""), "d:components:0");
    try (Session session = open(functions)) {
      for (int i = 0; i < 300; i++) {
        Cancellation cancellation = new Cancellation();
        CompletableFuture<Throwable> failure =
            CompletableFuture.supplyAsync(
                () ->
                    catchThrowable(() ->
                        session
                            .runner()
                            .fetch(TensorName.parse("f"))
                            .cancelledBy(cancellation)
                            .run()),
                Thread::startVirtualThread);
        LockSupport.parkNanos(i * 10_000L);
        cancellation.cancel();
        assertThat(failure.join())
            .extracting(StatusException::codeOf)
            .isEqualTo(StatusCode.CANCELLED);
      }
    }
  }
}
