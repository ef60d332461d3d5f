package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.interop.Results.Result;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The requirements for every combination of stock TensorFlow and Headrace: a stock client reads
 * every pipeline from a dispatcher and its workers, with the results of stock TensorFlow alone; so
 * does Headrace's Java client.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Pairing {
  /** Pipelines with sparse or ragged elements, for which the Java API has no structure. */
  private static final Set<String> NO_JAVA_STRUCTURE = Set.of("tensor_slices_sparse");

  private final Servers servers = new Servers();
  private Results alone = new Results(TestPaths.output("none"));
  private Results read = new Results(TestPaths.output("none"));
  private Map<String, Result> byJava = Map.of();
  private Results behaviours = new Results(TestPaths.output("none"));
  private String dispatcher = "";

  /** Starts the servers; returns the dispatcher's address. */
  abstract String start(Servers servers) throws InterruptedException;

  /** The number of workers that {@link #start} starts. */
  int workers() {
    return 1;
  }

  /** Flags for the client. */
  List<String> flags() {
    return List.of();
  }

  /** The refusals of {@code behaviours.py} that must occur, by name. */
  List<String> refusals() {
    return List.of();
  }

  /** The part of the pipeline that the servers refuse, as named in the message; empty for none. */
  abstract String refused(Result pipeline);

  @BeforeAll
  void readAll() throws InterruptedException {
    alone = StockTensorFlow.alone();
    dispatcher = start(servers);
    String label = getClass().getSimpleName();
    read = StockTensorFlow.read(dispatcher, label, flags());
    byJava = JavaClient.readAll(readable(), this::registered);
    if (workers() == 1) {
      behaviours = StockTensorFlow.behave(dispatcher, label, refusals());
    }
  }

  @AfterAll
  void stopAll() {
    servers.close();
  }

  List<String> readable() {
    return named(pipeline -> refused(pipeline).isEmpty() && isComparable(pipeline));
  }

  List<String> unsupported() {
    return named(pipeline -> !refused(pipeline).isEmpty());
  }

  List<String> behaviours() {
    return behaviours.names();
  }

  List<String> captured() {
    return named(pipeline -> !pipeline.ops().isEmpty() && flags().isEmpty());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("readable")
  void read_throughTheService_equalsStockAlone(String name) {
    Result expected = alone.of(name);
    expected.comparison().check(workers(), expected, read.of(name));
  }

  /** Headrace's Java client reads the datasets that a stock client registered. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("readable")
  void read_byTheJavaClient_equalsStockAlone(String name) {
    Result expected = alone.of(name);
    Result actual = Objects.requireNonNull(byJava.get(name));
    if (actual.error().startsWith("UNIMPLEMENTED: element specs with")) {
      assertThat(NO_JAVA_STRUCTURE).contains(name);
    } else {
      expected.comparison().check(workers(), expected, actual);
    }
  }

  @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
  @MethodSource("unsupported")
  void read_unsupported_isRefusedByName(String name) {
    String refused = refused(alone.of(name));
    assertThat(read.of(name).error()).startsWith("UNIMPLEMENTED").contains(refused);
  }

  @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
  @MethodSource("captured")
  void register_captured_hasTheCapturedOps(String name) {
    List<String> ops = alone.of(name).ops();
    assertThat(RegisteredGraph.ops(dispatcher, name)).containsExactlyInAnyOrderElementsOf(ops);
  }

  @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
  @MethodSource("behaviours")
  void service_usedByStock_behaves(String name) {
    assertThat(behaviours.error(name)).isEmpty();
  }

  private Dataset registered(String name) {
    boolean shared = alone.of(name).comparison() instanceof Comparison.Shared;
    DistributeOptions options =
        DistributeOptions.of(shared ? ProcessingMode.DYNAMIC : ProcessingMode.PARALLEL_EPOCHS);
    return DataService.fromDatasetId(options, "grpc://" + dispatcher, name);
  }

  /**
   * If one of several workers fails, the number of elements the others sent before is undefined.
   */
  private boolean isComparable(Result pipeline) {
    return workers() == 1 || pipeline.error().isEmpty();
  }

  private List<String> named(Predicate<Result> condition) {
    return alone.names().stream().filter(name -> condition.test(alone.of(name))).toList();
  }
}
