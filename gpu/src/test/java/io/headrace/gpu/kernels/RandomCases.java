package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Cases of random numbers: whole blocks of the generator and parts, counters that carry. */
final class RandomCases {
  private static final List<Tensor> SHAPES =
      List.of(
          Tensor.vector(7),
          Tensor.vector(new int[] {1}),
          Tensor.vector(5, 206),
          Tensor.vector(3, 0),
          Tensor.vector(-1, 2));

  /** Key, counter and algorithm; the counter's low half overflows within the numbers. */
  private static final List<Tensor> STATE =
      List.of(
          Tensor.of(DataType.UINT64, Shape.of(1), new long[] {0x123456789abcdefL}),
          Tensor.of(DataType.UINT64, Shape.of(2), new long[] {-2, 7}),
          Tensor.scalar(1));

  private final DataType dtype;
  private final List<WrittenCase> cases = new ArrayList<>();

  private RandomCases(DataType dtype) {
    this.dtype = dtype;
  }

  /** The cases of a dtype. */
  static List<WrittenCase> of(DataType dtype) {
    RandomCases all = new RandomCases(dtype);
    for (Tensor shape : SHAPES) {
      if (dtype.isFloating()) {
        all.floats(shape);
      } else {
        all.bits(shape);
      }
      if (dtype == DataType.INT32 || dtype == DataType.INT64) {
        all.integers(shape);
      }
    }
    return all.cases;
  }

  private static List<Tensor> with(Tensor shape, List<Tensor> others) {
    List<Tensor> inputs = new ArrayList<>(List.of(shape));
    inputs.addAll(others);
    return inputs;
  }

  private void floats(Tensor shape) {
    cases.add(stateful("RandomUniform", shape));
    cases.add(stateful("RandomStandardNormal", shape).within(normalTolerance()));
    cases.add(stateful("TruncatedNormal", shape).within(normalTolerance()));
    Tensor seed = Tensor.vector(3L, 4L);
    cases.add(
        stateless("StatelessTruncatedNormal", with(shape, List.of(seed)))
            .within(normalTolerance()));
    cases.add(
        stateless("StatelessTruncatedNormalV2", with(shape, STATE)).within(normalTolerance()));
    cases.add(stateless("StatelessRandomUniform", with(shape, List.of(seed))));
    cases.add(
        stateless("StatelessRandomNormal", with(shape, List.of(seed))).within(normalTolerance()));
    cases.add(stateless("StatelessRandomUniformV2", with(shape, STATE)));
    cases.add(stateless("StatelessRandomNormalV2", with(shape, STATE)).within(normalTolerance()));
  }

  /** Four units in the last place of numbers up to 8, of those that are rounded twice one. */
  private double normalTolerance() {
    return switch (dtype) {
      case FLOAT64 -> 0x1p-48;
      case FLOAT16 -> 0x1p-8;
      case BFLOAT16 -> 0x1p-5;
      default -> 0x1p-19;
    };
  }

  private WrittenCase stateful(String op, Tensor shape) {
    return WrittenCase.of(
        op, List.of(shape), "dtype", dtype, "T", DataType.INT32, "seed", 5, "seed2", 6);
  }

  private WrittenCase stateless(String op, List<Tensor> inputs) {
    return WrittenCase.of(op, inputs, "dtype", dtype);
  }

  private void bits(Tensor shape) {
    Tensor seed = Tensor.vector(-3L, 4L);
    cases.add(stateless("StatelessRandomUniformFullInt", with(shape, List.of(seed))));
    cases.add(stateless("StatelessRandomUniformFullIntV2", with(shape, STATE)));
  }

  private void integers(Tensor shape) {
    List<Tensor> bounds =
        List.of(
            TestValues.cast(Tensor.scalar(-5), dtype), TestValues.cast(Tensor.scalar(1000), dtype));
    cases.add(
        WrittenCase.of(
            "RandomUniformInt",
            with(shape, bounds),
            "Tout",
            dtype,
            "T",
            DataType.INT32,
            "seed",
            5));
    List<Tensor> seeded = new ArrayList<>(List.of(Tensor.vector(3L, 4L)));
    seeded.addAll(bounds);
    cases.add(
        WrittenCase.of(
            "StatelessRandomUniformInt", with(shape, seeded), "dtype", dtype, "T", DataType.INT32));
    List<Tensor> counted = new ArrayList<>(STATE);
    counted.addAll(bounds);
    cases.add(WrittenCase.of("StatelessRandomUniformIntV2", with(shape, counted), "dtype", dtype));
    List<Tensor> reversed = new ArrayList<>(STATE);
    reversed.addAll(bounds.reversed());
    cases.add(WrittenCase.of("StatelessRandomUniformIntV2", with(shape, reversed), "dtype", dtype));
  }
}
