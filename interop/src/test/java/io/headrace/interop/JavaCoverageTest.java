package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.FileSet;
import io.headrace.runtime.graph.Images;
import io.headrace.runtime.graph.Numbers;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.Randoms;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.graph.Tensors;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds {@link JavaDatasets} to the API: each method has a case. */
final class JavaCoverageTest {
  private static final Path SOURCES =
      TestPaths.root().resolve("interop/src/test/java/io/headrace/interop");
  private static final List<String> CASES =
      List.of(
          "JavaFamilies",
          "JavaOperations",
          "JavaSequences",
          "JavaSources",
          "JavaTransformations",
          "JavaWrittenFiles",
          "SavedDatasetsOfStockTest");

  /** Methods that make no dataset, or one that stock TensorFlow has not. */
  private static final Set<String> WITHOUT_CASE =
      Set.of(
          "apply",
          "as",
          "cardinality",
          "chunks",
          "device",
          "dtype",
          "explain",
          "fromIterable",
          "graph",
          "index",
          "iterator",
          "jsonLines",
          "name",
          "ofNode",
          "operation",
          "shape",
          "snapshot", // SavedDatasetsTest replays stock's
          "stream",
          "structure",
          "toGraphDef",
          "constantValue");

  private static String cases() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String name : CASES) {
      text.append(Files.readString(SOURCES.resolve(name + ".java")));
    }
    return text.toString();
  }

  private static Stream<String> methods(Class<?> type, boolean isStatic) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> Modifier.isStatic(method.getModifiers()) == isStatic)
        .filter(method -> !method.isBridge() && !isOfIterable(method))
        .map(Method::getName)
        .filter(name -> !WITHOUT_CASE.contains(name) && !name.equals("toString"))
        .distinct();
  }

  private static boolean isOfIterable(Method method) {
    return method.getDeclaringClass() == Iterable.class;
  }

  private static boolean hasCase(String text, String before, String method) {
    return Pattern.compile(before + "(\\.|::)" + method + "\\b").matcher(text).find();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Numbers.class,
        Tensors.class,
        Strings.class,
        Images.class,
        Randoms.class,
        Ops.class,
        Dataset.class
      })
  void staticMethods_haveACaseEach(Class<?> type) throws IOException {
    String text = cases();
    Set<String> missing = new TreeSet<>();
    methods(type, true)
        .filter(name -> !hasCase(text, "\\b" + type.getSimpleName(), name))
        .forEach(missing::add);

    assertThat(missing).isEmpty();
  }

  @Test
  void methodsOfDatasetsAndOutputs_haveACaseEach() throws IOException {
    String text = cases();
    Set<String> missing = new TreeSet<>();
    Stream.of(Dataset.class, FileSet.class, Output.class)
        .flatMap(type -> methods(type, false))
        .filter(name -> !hasCase(text, "", name))
        .forEach(missing::add);

    assertThat(missing).isEmpty();
  }
}
