package io.headrace.interop;

import io.headrace.dataset.Buckets;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Functions;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Padding;
import io.headrace.dataset.Ragged;
import io.headrace.dataset.Resampling;
import io.headrace.dataset.Shuffle;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** The transformations of the Java API. */
final class JavaTransformations {
  private JavaTransformations() {}

  static void addTo(JavaDatasets all) {
    addMaps(all);
    addFilters(all);
    addInner(all);
    addWindows(all);
    addBatches(all);
    addPadded(all);
    addOrders(all);
    addCuts(all);
    addJoins(all);
    addBuffers(all);
    addNested(all);
    addBuckets(all);
    addRagged(all);
    addResampled(all);
  }

  private static void addMaps(JavaDatasets all) {
    Dataset pairs = Dataset.range(9).map(x -> List.of(x, x.mul(x)));
    all.add("map", Dataset.range(20).map(x -> x.mul(3).add(1)));
    all.add("map_in_parallel", Dataset.range(500).map(x -> x.mul(3), 4));
    all.add("map_at_leisure", Dataset.range(500).map(x -> x.mul(3), Dataset.AUTOTUNE));
    all.add("map_of_two", pairs.map((x, y) -> y.sub(x)));
    all.add("map_of_two_in_parallel", pairs.map((x, y) -> List.of(y, x), 2));
    Dataset triples = pairs.map((x, y) -> List.of(x, y, x.add(y).asString()));
    all.add("map_of_three", triples.map((x, y, s) -> List.of(s, x.less(y))));
    all.add("map_of_three_in_parallel", triples.map((_, y, s) -> List.of(s, y), Dataset.AUTOTUNE));
    all.add(
        "map_in_any_order",
        new Comparison.Unordered(),
        Dataset.range(300).mapElement(e -> e.output().neg(), 4, false));
    all.add("map_to_a_constant", Dataset.range(3).map(_ -> Ops.constant("the same")));
    all.add("map_of_what_it_ignores", pairs.map((x, _) -> x));
    all.add(
        "map_that_fails",
        new Comparison.Fails("INVALID_ARGUMENT"),
        Dataset.range(8).map(x -> Ops.constant(100).floorDiv(x.sub(5))));
  }

  private static void addFilters(JavaDatasets all) {
    all.add("filter", Dataset.range(50).filter(x -> x.floorMod(7).equalTo(2)));
    all.add("filter_all", Dataset.range(50).filter(x -> x.less(0)));
    all.add(
        "filter_element",
        Dataset.range(30)
            .map(x -> Map.of("x", x, "even", x.floorMod(2).equalTo(0)))
            .filterElement(e -> e.get("even").output()));
    all.add(
        "filter_text", Dataset.textLines(all.file("a.txt")).filter(line -> line.matches(".*1.*")));
  }

  private static void addInner(JavaDatasets all) {
    all.add(
        "flat_map", Dataset.range(5).flatMap(x -> Dataset.range(x).map(y -> y.add(x.mul(100)))));
    all.add(
        "flat_map_element",
        Dataset.range(4)
            .map(x -> List.of(x, x.asString()))
            .flatMapElement(
                e -> Dataset.range(e.get(0).output()).map(y -> List.of(y, e.get(1).output()))));
    all.add(
        "flat_map_twice",
        Dataset.range(4)
            .flatMap(x -> Dataset.range(x).flatMap(y -> Dataset.range(y).map(z -> z.add(x)))));
    all.add("interleave", Dataset.range(1, 8, 1).interleave(tens(), Interleave.cycle(3)));
    all.add(
        "interleave_blocks",
        Dataset.range(1, 8, 1).interleave(tens(), Interleave.cycle(2).block(3)));
    all.add(
        "interleave_in_parallel",
        Dataset.range(1, 8, 1).interleave(tens(), Interleave.cycle(3).block(2).parallel(2)));
    all.add(
        "interleave_in_any_order",
        new Comparison.Unordered(),
        Dataset.range(1, 8, 1)
            .interleave(tens(), Interleave.cycle(3).parallel(Dataset.AUTOTUNE).anyOrder()));
    all.add(
        "interleave_element",
        Dataset.range(1, 6, 1)
            .map(x -> List.of(x, x.neg()))
            .interleaveElement(
                e -> Dataset.range(e.get(0).output()).map(y -> y.mul(e.get(1).output())),
                Interleave.cycle(2)));
  }

  private static Functions.ToDataset tens() {
    return x -> Dataset.range(x).map(y -> y.add(x.mul(10)));
  }

  private static void addWindows(JavaDatasets all) {
    all.add(
        "group_by_window",
        Dataset.range(25)
            .groupByWindow(e -> e.output().floorMod(3), 4, (_, group) -> group.batch(4)));
    all.add(
        "group_by_window_with_its_key",
        Dataset.range(25)
            .map(x -> List.of(x, x.asString()))
            .groupByWindow(
                e -> e.get(0).output().floorMod(4),
                3,
                (key, group) -> group.map((x, s) -> List.of(key, s, x.add(key))).batch(2)));
  }

  private static void addBatches(JavaDatasets all) {
    all.add("batch", Dataset.range(10).batch(4));
    all.add("batch_drops_the_remainder", Dataset.range(10).batch(4, Dataset.DROP_REMAINDER));
    all.add(
        "batch_of_batches", Dataset.range(20).map(x -> List.of(x, x.asString())).batch(3).batch(2));
    all.add(
        "batch_of_unequal_shapes",
        new Comparison.Fails("INVALID_ARGUMENT"),
        Dataset.range(1, 5, 1).batch(3).batch(2));
  }

  private static void addPadded(JavaDatasets all) {
    Dataset uneven = Dataset.range(11).batch(3);
    all.add("padded_batch", uneven.paddedBatch(3, false, Padding.to(Shape.of(-1))));
    all.add("padded_batch_to_a_shape", uneven.paddedBatch(3, true, Padding.to(Shape.of(5))));
    all.add(
        "padded_batch_of_every_type",
        uneven
            .map(x ->
                List.of(
                    x.asString(),
                    x.cast(DataType.FLOAT32),
                    x.cast(DataType.BOOL),
                    x.cast(DataType.UINT8)))
            .paddedBatch(
                2, false, Padding.to(Shape.of(-1), Shape.of(4), Shape.of(-1), Shape.of(-1))));
    all.add(
        "padded_batch_too_small",
        new Comparison.Fails("DATA_LOSS"),
        uneven.paddedBatch(2, false, Padding.to(Shape.of(2))));
  }

  private static void addOrders(JavaDatasets all) {
    all.add("shuffle", Dataset.range(100).shuffle(13, 42));
    all.add("shuffle_each_pass", Dataset.range(10).shuffle(4, 3).repeat(4));
    all.add(
        "shuffle_the_same_each_pass",
        Dataset.range(10).shuffle(4, Shuffle.seed(3).sameEachIteration()).repeat(3));
    all.add("shuffle_more_than_there_are", Dataset.range(50).shuffle(1000, 7));
    all.add(
        "shuffle_at_random",
        new Comparison.Unordered(),
        Dataset.range(80).shuffle(20, Shuffle.RANDOM));
    all.add(
        "shuffle_strings",
        Dataset.textLines(all.file("a.txt")).map(s -> List.of(s, s.stringLength())).shuffle(8, 2));
    all.add("shuffle_after_repeat", Dataset.range(10).repeat(3).shuffle(7, 11).batch(6));
    all.add("shuffle_by_seed_0", Dataset.range(40).shuffle(9, 0));
  }

  private static void addCuts(JavaDatasets all) {
    all.add("repeat", Dataset.range(4).repeat(3));
    all.add("repeat_never", Dataset.range(4).repeat(0));
    all.add("repeat_without_end", Dataset.range(3).repeat(-1).take(10));
    all.add("take", Dataset.range(10).take(3));
    all.add("take_all", Dataset.range(10).take(-1));
    all.add("skip", Dataset.range(10).skip(7));
    all.add("skip_all", Dataset.range(10).skip(-1));
    all.add("shard", Dataset.range(23).shard(4, 2));
    all.add("cut_of_a_batch", Dataset.range(100).batch(7).skip(2).take(9).shard(3, 1));
  }

  private static void addJoins(JavaDatasets all) {
    all.add("concatenate", Dataset.range(3).concatenate(Dataset.range(7, 9, 1)).repeat(2));
    all.add(
        "concatenate_other_shapes",
        Dataset.range(6)
            .batch(2, Dataset.DROP_REMAINDER)
            .concatenate(Dataset.range(6).batch(3, Dataset.DROP_REMAINDER)));
    Dataset shared = Dataset.range(12).shuffle(4, 9);
    all.add(
        "zip",
        Dataset.zip(shared.batch(2), Dataset.textLines(all.file("a.txt")), Dataset.range(5)));
    all.add("zip_with_itself", Dataset.zip(Dataset.range(5), Dataset.range(5).map(x -> x.neg())));
    all.add("enumerate", Dataset.textLines(all.file("b.txt")).enumerate(5));
  }

  private static void addBuffers(JavaDatasets all) {
    all.add(
        "prefetch", Dataset.range(30).prefetch(3).map(x -> x.add(1)).prefetch(Dataset.AUTOTUNE));
    all.add("cache", Dataset.range(6).map(x -> x.mul(x)).cache().repeat(3));
    all.add(
        "cache_of_random_numbers",
        Dataset.range(4).map(_ -> Ops.randomUniform(5, 9, 3)).cache().repeat(2));
  }

  private static Tensor booleans() {
    return Tensor.wrap(DataType.BOOL, Shape.of(2), new byte[] {1, 0});
  }

  private static void addNested(JavaDatasets all) {
    Dataset nested =
        Dataset.range(6)
            .map(x ->
                Map.of(
                    "b", List.of(x, Map.of("d", x.add(1), "c", x.cast(DataType.FLOAT32))),
                    "a", List.of(x.mul(2), x.asString())));
    all.add("nested", nested);
    all.add(
        "nested_through_it_all",
        Dataset.zip(nested, Dataset.tensors(booleans()).repeat(-1))
            .enumerate(1)
            .batch(2)
            .shuffle(3, 1)
            .prefetch(1)
            .mapElement(e -> List.of(e.get(1).get(0).get("a").get(1).output(), e.get(0))));
  }

  private static void addBuckets(JavaDatasets all) {
    Dataset sequences = Dataset.range(1, 25, 1).map(x -> Ops.range(x.mul(7).floorMod(10)));
    Buckets buckets = Buckets.of(new long[] {3, 6, 11}, new long[] {2, 3, 2, 1});
    Functions.ToScalar length = x -> x.output().shapeTensor().at(0);
    all.add("bucket_by_sequence_length", sequences.bucketBySequenceLength(length, buckets));
    all.add(
        "bucket_to_boundary",
        sequences.bucketBySequenceLength(length, buckets.padToBoundary().dropRemainder()));
    all.add(
        "bucket_to_a_boundary_that_is_too_short",
        new Comparison.Fails("INTERNAL"),
        sequences.bucketBySequenceLength(
            length, Buckets.of(new long[] {3, 6}, new long[] {2, 3, 2}).padToBoundary()));
  }

  private static void addRagged(JavaDatasets all) {
    all.add(
        "ragged_batch",
        Dataset.range(11).map(x -> List.of(Ops.range(x.floorMod(4)), x)).raggedBatch(4));
    all.add(
        "ragged_batch_of_two_ragged_dimensions",
        Dataset.range(7)
            .map(x -> {
              Output size = x.floorMod(3);
              return Map.of("x", Ops.fill(Ops.stack(List.of(size, size.add(1)), 0), x));
            })
            .raggedBatch(3, Dataset.DROP_REMAINDER));
    all.add(
        "ragged_to_tensor",
        Dataset.range(9)
            .map(x -> Ops.range(x.floorMod(4)))
            .raggedBatch(4)
            .mapElement(batch -> {
              Ragged ragged = Ragged.of(batch);
              return List.of(ragged.toTensor(Tensor.scalar(-1L)), ragged.rowLengths());
            }));
  }

  private static void addResampled(JavaDatasets all) {
    Functions.ToScalar classOf = x -> x.output().floorMod(5).less(1).cast(DataType.INT32);
    all.add(
        "rejection_resample",
        Dataset.range(80).rejectionResample(classOf, Resampling.to(0.5, 0.5).seed(3)));
    all.add(
        "rejection_resample_of_known_proportions",
        Dataset.range(80)
            .rejectionResample(classOf, Resampling.to(0.5, 0.5).from(0.8, 0.2).seed(3)));
  }
}
