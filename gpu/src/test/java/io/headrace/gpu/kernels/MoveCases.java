package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Cases of the ops that move elements: empty tensors, single elements, and odd sizes. */
final class MoveCases {
  private final DataType dtype;
  private final TestValues values;
  private final List<WrittenCase> cases = new ArrayList<>();

  private MoveCases(DataType dtype) {
    this.dtype = dtype;
    this.values = new TestValues(dtype.number());
  }

  /** The cases of a dtype. */
  static List<WrittenCase> of(DataType dtype) {
    MoveCases all = new MoveCases(dtype);
    all.transposes();
    all.joins();
    all.splits();
    all.slices();
    all.pads();
    all.reversals();
    all.repetitions();
    all.gathers();
    all.oneHots();
    return all.cases;
  }

  private Tensor x(long... sizes) {
    return values.tensor(dtype, Shape.of(sizes));
  }

  private void add(String op, List<Tensor> inputs, Object... attrs) {
    Object[] typed = new Object[attrs.length + 2];
    System.arraycopy(attrs, 0, typed, 2, attrs.length);
    typed[0] = "T";
    typed[1] = dtype;
    cases.add(WrittenCase.of(op, inputs, typed));
  }

  private void transposes() {
    add("Transpose", List.of(x(2, 3, 5, 3), Tensor.vector(0, 3, 1, 2)));
    add("Transpose", List.of(x(2, 3, 4, 6), Tensor.vector(0, 2, 3, 1)));
    add("Transpose", List.of(x(37, 70), Tensor.vector(1, 0)));
    add("Transpose", List.of(x(2, 33, 45), Tensor.vector(0, 2, 1)));
    add("Transpose", List.of(x(3, 4, 5), Tensor.vector(2, 1, 0)));
    add("Transpose", List.of(x(2, 3, 2, 3, 2, 3), Tensor.vector(5, 3, 1, 4, 2, 0)));
    add("Transpose", List.of(x(4, 5), Tensor.vector(0, 1)));
    add("Transpose", List.of(x(0, 5), Tensor.vector(-1, 0)));
    add("Transpose", List.of(x(), Tensor.vector(new int[0])));
    add("Transpose", List.of(x(3, 4), Tensor.vector(1L, 1L)), "Tperm", DataType.INT64);
  }

  private void joins() {
    add("ConcatV2", List.of(x(2, 3), x(2, 5), Tensor.scalar(1)), "N", 2);
    add("ConcatV2", List.of(x(3, 2), x(0, 2), x(1, 2), Tensor.scalar(-2)), "N", 3);
    add("ConcatV2", List.of(x(0, 2), x(0, 2), Tensor.scalar(0)), "N", 2);
    add("ConcatV2", List.of(x(300), x(211), Tensor.scalar(0)), "N", 2);
    add("ConcatV2", List.of(x(2, 3), x(3, 3), Tensor.scalar(1)), "N", 2);
    add("Concat", List.of(Tensor.scalar(2), x(2, 3, 1), x(2, 3, 4)), "N", 2);
    add("Pack", List.of(x(2, 3), x(2, 3), x(2, 3)), "N", 3, "axis", 1);
    add("Pack", List.of(x(), x()), "N", 2);
    add("Pack", List.of(x(2), x(3)), "N", 2);
    add("ParallelConcat", List.of(x(1, 3), x(1, 3)), "N", 2, "shape", Shape.of(2, 3));
  }

  private void splits() {
    add("Split", List.of(Tensor.scalar(1), x(3, 6)), "num_split", 3);
    add("Split", List.of(Tensor.scalar(0), x(4, 3)), "num_split", 3);
    add("SplitV", List.of(x(2, 7), Tensor.vector(3L, -1L, 0L), Tensor.scalar(1)), "num_split", 3);
    add("Unpack", List.of(x(3, 5, 2)), "num", 5, "axis", 1);
    add("Unpack", List.of(x(4)), "num", 4);
    add("Unpack", List.of(x(4)), "num", 3);
  }

  private void slices() {
    add(
        "Slice",
        ints(x(4, 6, 2), new int[] {1, 2, 0}, new int[] {2, -1, 1}),
        "Index",
        DataType.INT32);
    add("Slice", ints(x(4, 6), new int[] {1, 0}, new int[] {0, 6}), "Index", DataType.INT32);
    add("Slice", ints(x(4, 6), new int[] {1, 0}, new int[] {9, 6}), "Index", DataType.INT32);
    strided(x(9, 8), new int[] {1, 7}, new int[] {9, 0}, new int[] {3, -2}, "begin_mask", 0);
    strided(x(9, 8), new int[] {-1, 0}, new int[] {0, 3}, new int[] {1, 1}, "shrink_axis_mask", 1);
    strided(x(2, 3, 4), new int[] {0, 1}, new int[] {0, 4}, new int[] {1, 2}, "ellipsis_mask", 1);
    strided(x(7), new int[] {9}, new int[] {0}, new int[] {0}, "begin_mask", 0);
    cases.add(
        WrittenCase.of(
            "StridedSliceGrad",
            List.of(
                Tensor.vector(5, 6),
                Tensor.vector(1, 5),
                Tensor.vector(5, 0),
                Tensor.vector(2, -2),
                x(2, 3)),
            "T",
            dtype,
            "Index",
            DataType.INT32));
  }

  private static List<Tensor> ints(Tensor x, int[]... vectors) {
    List<Tensor> inputs = new ArrayList<>(List.of(x));
    for (int[] vector : vectors) {
      inputs.add(Tensor.vector(vector));
    }
    return inputs;
  }

  private void strided(Tensor x, int[] begin, int[] end, int[] strides, String mask, int bits) {
    add("StridedSlice", ints(x, begin, end, strides), "Index", DataType.INT32, mask, bits);
  }

  private static Tensor paddings(int... values) {
    return Tensor.of(DataType.INT32, Shape.of(values.length / 2, 2), values);
  }

  private void pads() {
    add("Pad", List.of(x(3, 5), paddings(1, 2, 0, 3)));
    add("Pad", List.of(x(3, 5), paddings(0, 0, 0, 0)));
    add("Pad", List.of(x(0, 2), paddings(2, 0, 1, 1)));
    add("Pad", List.of(x(3), paddings(-1, 0)));
    add("PadV2", List.of(x(2, 3, 2), paddings(1, 0, 0, 1, 2, 2), x()));
    add("MirrorPad", List.of(x(4, 5), paddings(2, 3, 4, 1)), "mode", "REFLECT");
    add("MirrorPad", List.of(x(3, 2), paddings(3, 1, 0, 2)), "mode", "SYMMETRIC");
    add("MirrorPad", List.of(x(3), paddings(3, 0)), "mode", "REFLECT");
  }

  private void reversals() {
    add("ReverseV2", List.of(x(5, 4, 3), Tensor.vector(1, -1)));
    add("ReverseV2", List.of(x(301), Tensor.vector(0)));
    add("ReverseV2", List.of(x(2), Tensor.vector(2)));
    add("Reverse", List.of(x(3, 4), TestValues.bools(true, false)));
    add("Reverse", List.of(x(), TestValues.bools()));
    add(
        "Roll",
        List.of(x(5, 7), Tensor.vector(2, -3), Tensor.vector(0, 1)),
        "Tshift",
        DataType.INT32,
        "Taxis",
        DataType.INT32);
  }

  private void repetitions() {
    add("Tile", List.of(x(2, 3), Tensor.vector(3, 2)));
    add("Tile", List.of(x(2, 3), Tensor.vector(0, 2)));
    add("Tile", List.of(x(2, 3), Tensor.vector(-1, 2)));
    add("BroadcastTo", List.of(x(3, 1), Tensor.vector(2, 3, 4)));
    add("BroadcastTo", List.of(x(3, 1), Tensor.vector(3, 1)));
    add("BroadcastTo", List.of(x(), Tensor.vector(513)));
    add("BroadcastTo", List.of(x(3), Tensor.vector(2)));
    add("Fill", List.of(Tensor.vector(3, 5), x()));
    add("Fill", List.of(Tensor.vector(0), x()));
  }

  private void gathers() {
    gather(x(5, 3), Tensor.vector(4, 0, 4), 0, 0);
    gather(x(2, 5, 4), Tensor.vector(3L, 1L), 1, 0);
    gather(x(2, 5), Tensor.of(DataType.INT32, Shape.of(2, 2), new int[] {0, 4, 2, 2}), 1, 1);
    gather(x(6), Tensor.scalar(5), 0, 0);
    gather(x(6, 2), TestValues.cast(Tensor.vector(1, 5, 0), DataType.INT16), 0, 0);
    gather(x(4, 2), Tensor.vector(new int[0]), 0, 0);
    gather(x(300), values.indices(300, 301), 0, 0);
    gather(x(300), TestValues.cast(values.indices(300, 301), DataType.INT16), 0, 0);
    gather(x(300), TestValues.cast(values.indices(300, 301), DataType.INT64), 0, 0);
    for (DataType type : List.of(DataType.INT16, DataType.INT32, DataType.INT64)) {
      gather(x(5, 3), TestValues.cast(Tensor.vector(1, 5, 7), type), 0, 0);
      gather(x(5, 3), TestValues.cast(Tensor.vector(1, -1), type), 0, 0);
    }
    cases.add(
        WrittenCase.of(
            "Gather",
            List.of(x(4, 2), Tensor.vector(3, 3)),
            "Tparams",
            dtype,
            "Tindices",
            DataType.INT32));
  }

  private void gather(Tensor params, Tensor indices, int axis, int batchDims) {
    cases.add(
        WrittenCase.of(
            "GatherV2",
            List.of(params, indices, Tensor.scalar(axis)),
            "Tparams",
            dtype,
            "Tindices",
            indices.dtype(),
            "Taxis",
            DataType.INT32,
            "batch_dims",
            batchDims));
  }

  private void oneHots() {
    oneHot(Tensor.vector(1, 3, -1, 4), 4, -1);
    oneHot(Tensor.of(DataType.INT64, Shape.of(2, 3), new long[] {0, 2, 1, 1L << 32, 5, 0}), 3, 1);
    oneHot(Tensor.of(DataType.UINT8, Shape.of(3), new byte[] {0, (byte) 200, 1}), 2, 0);
    oneHot(Tensor.of(DataType.INT8, Shape.of(2), new byte[] {-1, 1}), 301, -1);
    oneHot(Tensor.scalar(2), 5, -1);
    oneHot(Tensor.vector(7, 150), 151, -1);
    oneHot(TestValues.cast(Tensor.vector(7, 150), DataType.UINT8), 151, -1);
    oneHot(Tensor.vector(1, 2), 0, -1);
    oneHot(Tensor.vector(1, 2), -3, -1);
  }

  private void oneHot(Tensor indices, int depth, int axis) {
    add(
        "OneHot",
        List.of(indices, Tensor.scalar(depth), x(), x()),
        "TI",
        indices.dtype(),
        "axis",
        axis);
  }
}
