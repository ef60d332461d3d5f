package io.headrace.interop;

import io.headrace.dataset.Dataset;
import io.headrace.interop.JavaDatasets.Case;
import io.headrace.interop.Results.Result;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Headrace's Java client reads every dataset of {@link JavaDatasets}, with the results of stock
 * TensorFlow alone for the same graph.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaPairing {
  private final Servers servers = new Servers();
  private Results alone = new Results(TestPaths.output("none"));
  private Map<String, Case> cases = Map.of();
  private Map<String, Result> read = Map.of();

  /** Starts the servers; returns the transformation that distributes a dataset to them. */
  abstract UnaryOperator<Dataset> start(Servers started) throws InterruptedException;

  @BeforeAll
  void readAll() throws InterruptedException {
    JavaOracle oracle = JavaOracle.get();
    alone = oracle.results();
    cases = oracle.cases().stream().collect(Collectors.toMap(Case::name, Function.identity()));
    UnaryOperator<Dataset> service = start(servers);
    read = JavaClient.readAll(cases.keySet(), name -> service.apply(named(name).dataset()));
  }

  @AfterAll
  void stopAll() {
    servers.close();
  }

  List<String> names() {
    return cases.keySet().stream().sorted().toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("names")
  void read_byTheJavaClient_equalsStockAlone(String name) {
    Result actual = Objects.requireNonNull(read.get(name));
    named(name).comparison().check(1, alone.of(name), actual);
  }

  private Case named(String name) {
    return Objects.requireNonNull(cases.get(name));
  }
}
