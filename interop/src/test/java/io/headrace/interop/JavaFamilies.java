package io.headrace.interop;

import io.headrace.dataset.Dataset;
import io.headrace.runtime.graph.Numbers;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Randoms;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.graph.Tensors;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** The operations of Numbers, Tensors and Randoms, and the codecs of Strings. */
final class JavaFamilies {
  private JavaFamilies() {}

  static void addTo(JavaDatasets all) {
    addNumbers(all);
    addSums(all);
    addTensors(all);
    addRandoms(all);
    addCodecs(all);
  }

  /** Five vectors of seven floats around 0, and below 1 in magnitude. */
  private static Dataset fractions() {
    return Dataset.range(-17, 18, 1)
        .map(x -> x.cast(DataType.FLOAT32).div(20))
        .batch(7, Dataset.DROP_REMAINDER);
  }

  /** Four int64 matrices [3, 4]. */
  private static Dataset grids() {
    return Dataset.range(48).batch(12, Dataset.DROP_REMAINDER).map(x -> x.reshape(3, 4));
  }

  private static void addNumbers(JavaDatasets all) {
    all.add(
        "numbers_rounded",
        fractions()
            .map(x ->
                List.of(
                    Numbers.sign(x),
                    Numbers.ceil(x),
                    Numbers.relu(x),
                    Numbers.squaredDifference(x, x.neg()),
                    Numbers.divOrZero(x, x.sub(0.1)),
                    Numbers.xor(x.less(0.2), x.greater(-0.2)))));
    all.add(
        "numbers_curved",
        new Comparison.Close(2e-6),
        fractions()
            .map(x ->
                List.of(
                    Numbers.reciprocal(x.add(2)),
                    Numbers.rsqrt(x.add(2)),
                    Numbers.log1p(x),
                    Numbers.expm1(x),
                    Numbers.tanh(x),
                    Numbers.sigmoid(x),
                    Numbers.softplus(x),
                    Numbers.logSoftmax(x),
                    Numbers.erf(x),
                    x.abs().pow(1.5))));
    all.add(
        "numbers_of_angles",
        new Comparison.Close(2e-6),
        fractions()
            .map(x ->
                List.of(
                    Numbers.sin(x),
                    Numbers.cos(x),
                    Numbers.tan(x),
                    Numbers.asin(x),
                    Numbers.acos(x),
                    Numbers.atan(x),
                    Numbers.atan2(x, x.add(0.3)))));
    all.add(
        "numbers_that_are_none",
        fractions()
            .map(x -> x.div(x.maximum(0)))
            .map(x -> List.of(Numbers.isNan(x), Numbers.isInfinite(x), Numbers.isFinite(x))));
  }

  private static void addSums(JavaDatasets all) {
    all.add(
        "numbers_over_axes",
        grids()
            .map(x ->
                List.of(
                    Numbers.product(x, 0),
                    Numbers.product(x.floorMod(3), 0, 1),
                    Numbers.cumulativeSum(x, 1),
                    Numbers.cumulativeSum(x, -2),
                    Numbers.argMin(x.floorMod(5), 1))));
    all.add(
        "numbers_in_buckets",
        grids()
            .map(x ->
                List.of(
                    Numbers.bucketize(x, 3, 20.5, 40),
                    Numbers.counts(x.reshape(-1).floorMod(5), 4),
                    Numbers.counts(x.reshape(-1).floorMod(5).cast(DataType.INT32), 6))));
    all.add(
        "numbers_standardized",
        new Comparison.Close(1e-5),
        grids()
            .map(x -> x.cast(DataType.FLOAT32))
            .map(x -> List.of(Numbers.standardize(x, 0), Numbers.standardize(x, 0, 1))));
  }

  private static void addTensors(JavaDatasets all) {
    all.add(
        "tensors_cut",
        grids()
            .map(x ->
                List.of(
                    Tensors.unstack(x, -1).get(2),
                    Tensors.split(x, 2, 1).get(1),
                    Tensors.split(x, new long[] {1, 2}, 0).get(1),
                    Tensors.range(x, 0, 1, 3),
                    Tensors.range(x, 1, -3, -1),
                    Tensors.roll(x, 1, 1),
                    Tensors.size(x))));
    all.add(
        "tensors_chosen",
        grids()
            .map(x ->
                List.of(
                    Tensors.gatherNd(x, Ops.constant(matrix(2, 2, 0, 1, 2, 3))),
                    Tensors.mask(x, x.at(0).floorMod(2).equalTo(0).slice(zero(), three())),
                    Tensors.sortDescending(x.reshape(-1).floorMod(7)),
                    Tensors.unique(x.reshape(-1).floorMod(7)))));
    all.add(
        "tensors_filled",
        grids()
            .map(x ->
                List.of(
                    Tensors.zerosLike(x),
                    Tensors.onesLike(x.cast(DataType.FLOAT32)),
                    Tensors.broadcastTo(x.at(0), 2, 3, 4),
                    Tensors.ensureShape(x, Shape.of(3, -1)))));
    all.add(
        "tensors_of_another_shape",
        new Comparison.Fails("INVALID_ARGUMENT"),
        Dataset.range(3).map(x -> Tensors.ensureShape(Ops.range(x), Shape.of(0))));
    all.add(
        "tensors_stored",
        grids()
            .map(x -> List.of(Tensors.serialize(x), Tensors.serialize(x.asString())))
            .map((numbers, strings) ->
                List.of(
                    Tensors.parse(numbers, DataType.INT64),
                    Tensors.parse(strings, DataType.STRING))));
  }

  private static long[] zero() {
    return new long[] {0};
  }

  private static long[] three() {
    return new long[] {3};
  }

  private static Tensor matrix(int rows, int columns, int... values) {
    return Tensor.of(DataType.INT32, Shape.of(rows, columns), values);
  }

  private static void addRandoms(JavaDatasets all) {
    all.add(
        "randoms",
        new Comparison.Close(1e-5),
        Dataset.range(6)
            .map(_ ->
                List.of(
                    Randoms.uniform(1, 2, 3),
                    Randoms.normal(3, 4, 3),
                    Randoms.truncatedNormal(5, 6, 2, 2),
                    Randoms.integers(7, 8, -5, 100, 4))));
    all.add(
        "randoms_shuffled", Dataset.range(6).map(x -> Randoms.shuffle(Ops.range(x.add(3)), 9, 10)));
    all.add(
        "randoms_stateless",
        new Comparison.Close(1e-5),
        Dataset.range(6)
            .map(x -> Ops.stack(List.of(x, x.add(1)), 0))
            .map(seed ->
                List.of(
                    Randoms.statelessUniform(seed, 2),
                    Randoms.statelessNormal(seed, 3),
                    Randoms.statelessIntegers(seed, -5, 100, 4))));
  }

  private static void addCodecs(JavaDatasets all) {
    all.add(
        "strings_coded",
        Dataset.tensorSlices(Tensor.vector("", "a?>", "text of bytes"))
            .map(Strings::encodeBase64)
            .map(s -> List.of(s, Strings.decodeBase64(s))));
    all.add(
        "strings_uncompressed",
        Dataset.tensors(Tensor.scalar(all.file("a.txt.gz")))
            .map(file -> Strings.uncompress(Ops.readFile(file), "GZIP")));
    all.add(
        "strings_of_csv",
        Dataset.tensorSlices(Tensor.vector("1;x;0.5", ";\"a;b\";2"))
            .map(s ->
                Strings.decodeCsv(
                    s,
                    ";",
                    List.of(Tensor.vector(-1L), Tensor.vector(new String[0]), Tensor.vector(0f)))));
  }
}
