package io.headrace.dataset.execute;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.DatasetOptions;
import io.headrace.dataset.Functions;
import io.headrace.dataset.Padding;
import io.headrace.dataset.Sampling;
import io.headrace.dataset.Scanned;
import io.headrace.dataset.Window;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Pipelines of {@code pipelines.py}, written with the Java API. */
final class JavaPipelines {
  /** The pipelines, by the names that {@code record.py} has for their records. */
  static final Map<String, Supplier<Dataset>> ALL = new LinkedHashMap<>();

  static {
    addBatches();
    addWindows();
    addOrders();
    addChoices();
  }

  private JavaPipelines() {}

  private static void add(String name, Supplier<Dataset> pipeline) {
    ALL.put(name, pipeline);
  }

  private static void addBatches() {
    add("unbatch_pairs", () -> Dataset.range(7).batch(3).map(x -> List.of(x, x.mul(x))).unbatch());
    add("rebatch", () -> Dataset.range(17).batch(5).rebatch(false, 2, 3, 1));
    add("rebatch_drop", () -> Dataset.range(11).batch(3).rebatch(true, 4));
    add("batch_parallel", () -> Dataset.range(11).map(x -> x.mul(2)).batch(3, false, 2));
    add(
        "padded_batch",
        () ->
            Dataset.range(7)
                .map(x -> List.of(Ops.range(x), x))
                .paddedBatch(3, false, Padding.TO_LONGEST));
    add(
        "padded_batch_shapes",
        () ->
            Dataset.range(5)
                .map(x -> List.of(pairs(x), Ops.range(x)))
                .paddedBatch(
                    2,
                    true,
                    Padding.to(Shape.of(3, 4), Shape.of(-1))
                        .with(Tensor.scalar(-7L), Tensor.scalar(-1L))));
  }

  /** The remainder of {@code x} and 3 rows of twice {@code x}. */
  private static Output pairs(Output x) {
    return Ops.fill(Ops.stack(List.of(x.floorMod(3), Ops.constant(2L)), 0), x);
  }

  private static void addWindows() {
    add("windows", () -> Dataset.range(10).window(Window.of(4).shift(3)).flatMapElement(rows(10)));
    add(
        "windows_strided",
        () ->
            Dataset.range(14)
                .window(Window.of(3).shift(4).stride(2).dropRemainder())
                .flatMapElement(rows(10)));
    add(
        "windows_of_pairs",
        () ->
            Dataset.range(7)
                .map(x -> List.of(x, x.mul(x)))
                .window(Window.of(3).dropRemainder())
                .flatMapElement(
                    w -> Dataset.zip(w.get(0).dataset().batch(3), w.get(1).dataset().batch(3))));
  }

  private static Functions.ElementToDataset rows(long size) {
    return window -> window.dataset().batch(size);
  }

  private static void addOrders() {
    add(
        "scan_sum",
        () ->
            Dataset.range(9)
                .scan(
                    List.of(Tensor.scalar(100L)),
                    (state, x) ->
                        Scanned.of(
                            state.getFirst().add(x.output()),
                            List.of(state.getFirst(), x.output()))));
    add("take_while", () -> Dataset.range(20).takeWhile(x -> x.output().square().less(50)));
    add(
        "unique",
        () -> Dataset.tensorSlices(Tensor.vector("a", "b", "a", "", "c", "", "b")).unique());
    add("assert_cardinality_right", () -> Dataset.range(4).assertCardinality(4));
    add(
        "options_kept",
        () ->
            Dataset.range(6)
                .map(x -> x.add(1), 2)
                .withOptions(DatasetOptions.NONE.deterministic(true)));
    add(
        "ignore_errors",
        () -> Dataset.range(12).map(x -> failAt(x, 0, 4, 5, 11)).ignoreErrors(false));
    add("random_seeded", () -> Dataset.random(42, false).take(9));
    add("random_reseeded", () -> Dataset.random(42, true).take(3).repeat(2));
  }

  /** x, or an error where x is one of {@code bad}. */
  private static Output failAt(Output x, long... bad) {
    Output distance = x.sub(Ops.constant(Tensor.vector(bad))).abs().min();
    return x.add(Ops.constant(0L).floorDiv(distance));
  }

  private static void addChoices() {
    Dataset tens = Dataset.range(10, 20, 1);
    add(
        "choose",
        () ->
            Dataset.chooseFromDatasets(
                List.of(Dataset.range(3), tens, Dataset.range(0)),
                Dataset.tensorSlices(Tensor.vector(0L, 1, 1, 0, 2, 0, 0, 1)).repeat(2),
                false));
    add(
        "choose_until_empty",
        () ->
            Dataset.chooseFromDatasets(
                List.of(Dataset.range(3), tens), Dataset.range(2).repeat(-1), true));
    add(
        "sample_from",
        () ->
            Dataset.sampleFromDatasets(
                List.of(Dataset.range(8), Dataset.range(100, 108, 1)),
                Sampling.weights(0.3, 0.7).seed(4).stopOnEmpty()));
  }
}
