package io.headrace.dispatcher.graph;

import static io.headrace.dispatcher.SourceGraphs.after;
import static io.headrace.dispatcher.SourceGraphs.numberIn;
import static io.headrace.dispatcher.SourceGraphs.rangeTo;
import static io.headrace.dispatcher.SourceGraphs.text;
import static io.headrace.dispatcher.SourceGraphs.write;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.SourceGraphs;
import io.headrace.proto.data.DatasetDef;
import io.headrace.runtime.file.ReservedFolders;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SourceEvaluationTest {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  @TempDir private Path folder;
  private Path work;
  private ReservedFolders.Reservation reservation;

  @BeforeEach
  void reserve() throws IOException {
    work = Files.createDirectories(folder.resolve("work"));
    Files.writeString(work.resolve("acknowledged"), "7");
    reservation = ReservedFolders.reserve(work);
  }

  @AfterEach
  void close() {
    reservation.close();
    threads.shutdownNow();
  }

  private long splits(DatasetDef dataset) {
    return splits(SourceEvaluation.on(threads, LONG), dataset);
  }

  private static long splits(SourceEvaluation evaluation, DatasetDef dataset) {
    return evaluation.of(dataset, value -> value.splitSources().getFirst().count()).join();
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      StatusCode code, DatasetDef dataset) {
    return assertFails(code, SourceEvaluation.on(threads, LONG), dataset);
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      StatusCode code, SourceEvaluation evaluation, DatasetDef dataset) {
    return assertThatThrownBy(() -> splits(evaluation, dataset))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void of_aSourceThatWritesAFile_isRefusedByNameAndWritesNothing() {
    Path file = folder.resolve("new");

    assertFails(
            StatusCode.FAILED_PRECONDITION, rangeTo(graph -> after(graph, write(graph, file), 3)))
        .hasMessageContaining("op WriteFile (node evil) writes files")
        .hasMessageContaining("move the op into a function of the dataset");
    assertThat(file).doesNotExist();
  }

  @Test
  void of_aFunctionThatRunsForTheSource_isHeldToTheSame() {
    Path file = folder.resolve("new");

    assertFails(
            StatusCode.FAILED_PRECONDITION,
            rangeTo(graph ->
                graph
                    .op("StatefulPartitionedCall")
                    .inputs(List.of())
                    .types("Tin", List.of())
                    .types("Tout", List.of(DataType.INT64))
                    .attr(
                        "f",
                        FunctionBuilder.trace(
                            "writing",
                            OpRegistry.standard(),
                            List.of(),
                            List.of(),
                            _ -> {
                              GraphBuilder body = GraphBuilder.current();
                              return List.of(after(body, write(body, file), 3));
                            }))
                    .build()))
        .hasMessageContaining("op WriteFile (node")
        .hasMessageContaining("evil");
    assertThat(file).doesNotExist();
  }

  @Test
  void of_aMapFunctionThatWrites_isNoneOfItsBusiness() {
    Dataset dataset =
        Dataset.range(4)
            .map(x -> {
              Operation written = write(GraphBuilder.current(), folder.resolve("new"));
              return after(GraphBuilder.current(), written, 3);
            });

    assertThat(splits(DatasetDef.newBuilder().setGraph(dataset.toGraphDef()).build())).isEqualTo(4);
    assertThat(folder.resolve("new")).doesNotExist();
  }

  @Test
  void of_aSourceThatPrints_isRefused() {
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            rangeTo(graph ->
                after(graph, graph.op("PrintV2").input(text("hello")).buildOperation(), 3)))
        .hasMessageContaining("op PrintV2")
        .hasMessageContaining("prints");
  }

  @Test
  void of_aSourceThatReadsElements_isRefused() {
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            rangeTo(graph ->
                graph
                    .op("DatasetToSingleElement")
                    .input(one(graph))
                    .types("output_types", List.of(DataType.INT64))
                    .shapes("output_shapes", List.of(Shape.SCALAR))
                    .build()))
        .hasMessageContaining("reads elements of a dataset");
  }

  private static Output one(GraphBuilder graph) {
    return graph
        .op("TensorDataset")
        .inputs(List.of(graph.constant(Tensor.scalar(3L))))
        .types("Toutput_types", List.of(DataType.INT64))
        .shapes("output_shapes", List.of(Shape.SCALAR))
        .build();
  }

  @Test
  void of_aSourceThatReadsAFile_isEvaluated() throws IOException {
    Path file = Files.writeString(folder.resolve("count"), "12");

    assertThat(splits(rangeTo(graph -> numberIn(graph, file)))).isEqualTo(12);
  }

  @Test
  void of_aSourceThatReadsTheWorkDir_isRefused() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), work);

    for (Path way : List.of(work, link, folder.resolve("work").resolve("..").resolve("work"))) {
      assertFails(
              StatusCode.FAILED_PRECONDITION,
              rangeTo(graph -> numberIn(graph, way.resolve("acknowledged"))))
          .hasMessageContaining("keeps for itself");
    }
  }

  @Test
  void of_aSourceThatListsTheWorkDir_isRefused() {
    assertFails(StatusCode.FAILED_PRECONDITION, rangeTo(graph -> countOf(graph, work + "/*")))
        .hasMessageContaining("keeps for itself");
  }

  @Test
  void of_aSourceThatListsFiles_isEvaluated() throws IOException {
    Files.writeString(folder.resolve("a.txt"), "");
    Files.writeString(folder.resolve("b.txt"), "");

    assertThat(splits(rangeTo(graph -> countOf(graph, folder + "/*.txt")))).isEqualTo(2);
  }

  private static Output countOf(GraphBuilder graph, String pattern) {
    return graph
        .op("Size")
        .input(graph.op("MatchingFiles").input(text(pattern)).build())
        .attr("T", DataType.STRING)
        .attr("out_type", DataType.INT64)
        .build();
  }

  @Test
  void of_aSourceThatLooksUpATable_isEvaluated() throws IOException {
    Path vocabulary = Files.writeString(folder.resolve("vocabulary"), "one\ntwo\nthree\n");

    assertThat(splits(rangeTo(graph -> lineOf(graph, vocabulary, "three")))).isEqualTo(2);
  }

  private static Output lineOf(GraphBuilder graph, Path vocabulary, String word) {
    Output table =
        graph
            .op("HashTableV2")
            .attr("key_dtype", DataType.STRING)
            .attr("value_dtype", DataType.INT64)
            .build();
    Operation filled =
        graph
            .op("InitializeTableFromTextFileV2")
            .input(table)
            .input(text(vocabulary.toString()))
            .attr("key_index", -2)
            .attr("value_index", -1)
            .buildOperation();
    return graph
        .op("LookupTableFindV2")
        .input(table)
        .input(text(word))
        .input(Tensor.scalar(0L))
        .attr("Tin", DataType.STRING)
        .attr("Tout", DataType.INT64)
        .after(filled)
        .build();
  }

  @Test
  void of_aSourceThatNeverEnds_failsInTimeAndItsThreadEnds() throws InterruptedException {
    assertFails(
            StatusCode.DEADLINE_EXCEEDED,
            SourceEvaluation.on(threads, SHORT),
            rangeTo(SourceGraphs::endless))
        .hasMessageContaining("longer to compute than the PT0.2S");

    threads.shutdown();
    assertThat(threads.awaitTermination(50, SECONDS)).isTrue();
  }

  @Test
  void of_aSourceThatWaitsForever_failsInTimeAndItsThreadEnds() throws InterruptedException {
    assertFails(
        StatusCode.DEADLINE_EXCEEDED,
        SourceEvaluation.on(threads, SHORT),
        rangeTo(SourceEvaluationTest::dequeued));

    threads.shutdown();
    assertThat(threads.awaitTermination(50, SECONDS)).isTrue();
  }

  /** The next element of a queue that stays empty. */
  private static Output dequeued(GraphBuilder graph) {
    Output queue =
        graph.op("FIFOQueueV2").types("component_types", List.of(DataType.INT64)).build();
    return graph
        .op("QueueDequeueV2")
        .input(queue)
        .types("component_types", List.of(DataType.INT64))
        .build();
  }

  @Test
  void of_aSourceThatNoticesNothing_failsInTime() {
    Semaphore end = new Semaphore(0);
    Op deaf =
        Op.define("Deaf() -> value: int64")
            .kernel(_ ->
                call -> {
                  end.acquireUninterruptibly(); // like a read from a disk that does not answer
                  call.setOutput(0, Tensor.scalar(1L));
                });
    OpRegistry ops = with(deaf);
    try {
      assertFails(
          StatusCode.DEADLINE_EXCEEDED,
          new SourceEvaluation(threads, ops, SHORT, Long.MAX_VALUE),
          rangeTo(ops, graph -> graph.op("Deaf").build()));
    } finally {
      end.release();
    }
  }

  private static OpRegistry with(Op op) {
    return OpRegistry.of(
        Stream.concat(OpRegistry.standard().ops().stream(), Stream.of(op)).toArray(Op[]::new));
  }

  @Test
  void of_aSourceThatMakesMoreThanItMay_isRefused() {
    SourceEvaluation evaluation =
        new SourceEvaluation(threads, OpRegistry.standard(), LONG, 1 << 20);
    Function<Integer, DatasetDef> filled =
        length -> rangeTo(graph -> sum(graph, graph.constant(Tensor.scalar(length))));

    assertThat(splits(evaluation, filled.apply(1 << 14))).isEqualTo(1 << 14);
    assertFails(StatusCode.RESOURCE_EXHAUSTED, evaluation, filled.apply(1 << 17))
        .hasMessageContaining("bound of 1048576 bytes");
    assertThat(splits(evaluation, filled.apply(1 << 14))).isEqualTo(1 << 14);
  }

  /** The sum of {@code length} ones. */
  private static Output sum(GraphBuilder graph, Output length) {
    Output ones =
        graph
            .op("Fill")
            .input(
                graph
                    .op("ExpandDims")
                    .input(length)
                    .input(Tensor.scalar(0))
                    .attr("T", DataType.INT32)
                    .build())
            .input(Tensor.scalar(1L))
            .attr("T", DataType.INT64)
            .build();
    return graph.op("Sum").input(ones).input(Tensor.scalar(0)).attr("T", DataType.INT64).build();
  }
}
