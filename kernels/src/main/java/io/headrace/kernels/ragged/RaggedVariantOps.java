package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The ops RaggedTensorToVariant and RaggedTensorFromVariant. */
final class RaggedVariantOps {
  private RaggedVariantOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedTensorToVariant(rt_nested_splits: RAGGED_RANK * Tsplits,"
                    + " rt_dense_values: Tvalues) -> encoded_ragged: variant")
            .attrs(
                "RAGGED_RANK: int",
                "Tvalues: type",
                "Tsplits: {int32, int64} = int64",
                "batched_input: bool")
            .shape(RaggedVariantOps::toRule)
            .kernel(node -> {
              boolean batched = node.attrs().bool("batched_input");
              return call -> call.setOutput(0, toVariant(call, batched));
            }),
        Op.define(
                "RaggedTensorFromVariant(encoded_ragged: variant) -> (output_nested_splits:"
                    + " output_ragged_rank * Tsplits, output_dense_values: Tvalues)")
            .attrs(
                "input_ragged_rank: int",
                "output_ragged_rank: int",
                "Tvalues: type",
                "Tsplits: {int32, int64} = int64")
            .shape(RaggedVariantOps::fromRule)
            .kernel(node -> new FromVariant(node)::compute));
  }

  private static List<Shape> toRule(ShapeFunction.Inputs in) {
    int splits = in.count() - 1;
    Shapes.checkRankAtLeast(in.shape(splits), 1);
    for (int i = 0; i < splits; i++) {
      Shapes.withRank(in.shape(i), 1);
    }
    if (!in.attrs().bool("batched_input")) {
      return List.of(Shape.SCALAR);
    }
    if (splits == 0) {
      throw invalidArgument("ragged_rank=0 is not currently supported when batched_input=true.");
    }
    long points = Shapes.withRank(in.shape(0), 1).size(0);
    return List.of(Shape.of(points < 0 ? Shape.UNKNOWN_DIMENSION : points - 1));
  }

  private static Tensor toVariant(KernelCall call, boolean batched) {
    List<Tensor> splits = new ArrayList<>();
    for (int i = 0; i < call.inputs() - 1; i++) {
      splits.add(call.input(i));
    }
    Tensor values = call.input(call.inputs() - 1);
    RowSplits.checkEncodable(splits, values);
    if (!batched) {
      return Tensor.variant(new RaggedVariant(splits, values));
    }
    if (splits.isEmpty()) {
      throw invalidArgument(
          "rt_nested_splits must be a list of one or more, but received rt_nested_splits of length"
              + " 0.");
    }
    int rows = splits.getFirst().elements() - 1;
    Shape shape = Shape.of(rows);
    Object[] variants = (Object[]) TensorLimit.allocate(DataType.VARIANT, shape);
    for (int row = 0; row < rows; row++) {
      call.cancellation().check();
      variants[row] = row(splits, values, row);
    }
    return Tensor.wrap(DataType.VARIANT, shape, variants);
  }

  /** The slice {@code row} along the first dimension. */
  private static RaggedVariant row(List<Tensor> splits, Tensor values, int row) {
    int from = (int) splits.getFirst().integer(row);
    int to = (int) splits.getFirst().integer(row + 1);
    List<Tensor> inner = new ArrayList<>(splits.size() - 1);
    for (Tensor next : splits.subList(1, splits.size())) {
      long base = next.integer(from);
      long[] points = new long[to - from + 1];
      for (int i = 0; i < points.length; i++) {
        points[i] = next.integer(from + i) - base;
      }
      inner.add(IntegerTensors.vector(next.dtype(), points));
      to = (int) next.integer(to);
      from = (int) base;
    }
    return new RaggedVariant(inner, values.rows(from, to).detach());
  }

  private static List<Shape> fromRule(ShapeFunction.Inputs in) {
    long inner = in.attrs().integer("input_ragged_rank");
    int outer = in.attrs().count("output_ragged_rank");
    if (!in.shape(0).isUnknownRank() && inner >= 0) {
      Shapes.withRank(in.shape(0), (int) (outer - inner));
    }
    List<Shape> shapes = new ArrayList<>(Collections.nCopies(outer, Shapes.ofRank(1)));
    shapes.add(Shape.UNKNOWN);
    return shapes;
  }

  /** The kernel that decodes variants and stacks them along the dimensions of their tensor. */
  private static final class FromVariant {
    private final long inputRank;
    private final int outputRank;
    private final DataType valueType;
    private final DataType splitType;

    FromVariant(NodeSpec node) {
      this.inputRank = node.attrs().integer("input_ragged_rank");
      this.outputRank = node.attrs().count("output_ragged_rank");
      this.valueType = node.attrs().type("Tvalues");
      this.splitType = node.attrs().type("Tsplits");
    }

    void compute(KernelCall call) {
      Tensor encoded = call.input(0);
      boolean dense = outputRank == 0;
      int rank = dense ? 0 : inputRank(encoded.shape().rank());
      List<RaggedVariant> parts = new ArrayList<>(encoded.elements());
      for (int i = 0; i < encoded.elements(); i++) {
        parts.add(decode(encoded.reference(i), i, rank));
      }
      RaggedVariant result =
          encoded.shape().rank() == 0
              ? parts.getFirst()
              : dense
                  ? new RaggedVariant(List.of(), stackedValues(parts))
                  : stack(parts, encoded.shape(), rank);
      for (int i = 0; i < outputRank; i++) {
        call.setOutput(i, result.splits().get(i));
      }
      call.setOutput(outputRank, result.values());
    }

    private int inputRank(int dimensions) {
      long rank = inputRank == -1 ? outputRank - dimensions : inputRank;
      if (rank < 0) {
        throw invalidArgument(
            "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0,"
                + " found output_ragged_rank: %d, encoded_variant.dims(): %d, inferred"
                + " input_ragged_rank: %d",
            outputRank, dimensions, rank);
      }
      if (outputRank != dimensions + rank) {
        throw invalidArgument(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims();"
                + " output_ragged_rank: %d, input_ragged_rank: %d, encoded_variant.dims(): %d.",
            outputRank, rank, dimensions);
      }
      return (int) rank;
    }

    private RaggedVariant decode(Object value, int index, int rank) {
      RaggedVariant ragged = RaggedVariant.of(value);
      if (ragged == null) {
        throw invalidArgument(
            "Input Variant element at index %d doesn't hold a RaggedTensorVariant: %s",
            index, value.getClass().getSimpleName());
      }
      if (ragged.raggedRank() != rank) {
        throw invalidArgument(
            "Encoded input RaggedTensorVariant has ragged_rank=%d.  Expected ragged_rank=%d.",
            ragged.raggedRank(), rank);
      }
      Tensor values = ragged.values();
      if (values.dtype() != valueType) {
        throw invalidArgument(
            "Expected values Tensor dtype: %s, found: %s",
            valueType.tfName(), values.dtype().tfName());
      }
      if (values.shape().rank() < 1 && outputRank > 0) {
        throw invalidArgument(
            "Ragged values must have rank >= 1; encoded scalar element at index %d has values"
                + " Tensor: %s",
            index, values);
      }
      for (Tensor splits : ragged.splits()) {
        checkSplits(splits, index);
      }
      return ragged;
    }

    private void checkSplits(Tensor splits, int index) {
      if (splits.dtype() != splitType) {
        throw invalidArgument(
            "Expected row_splits Tensor dtype: %s, found: %s",
            splitType.tfName(), splits.dtype().tfName());
      }
      if (splits.shape().rank() != 1) {
        throw invalidArgument(
            "Ragged splits must have rank 1; encoded scalar element at index %d has splits Tensor"
                + " %s",
            index, splits);
      }
      if (splits.elements() == 0) {
        throw invalidArgument(
            "Ragged splits must have at least one element; encoded scalar element at index %d has"
                + " splits Tensor %s",
            index, splits);
      }
    }

    private RaggedVariant stack(List<RaggedVariant> parts, Shape batch, int rank) {
      List<Tensor> splits = new ArrayList<>();
      for (int axis = 0; axis < batch.rank() - 1; axis++) {
        splits.add(uniformSplits(batch.size(axis), batch.size(axis + 1)));
      }
      splits.add(lengthSplits(parts));
      for (int i = 0; i < rank; i++) {
        splits.add(joinedSplits(parts, i));
      }
      return new RaggedVariant(splits, joinedValues(parts));
    }

    /** Splits of {@code rows} rows of {@code each} elements. */
    private Tensor uniformSplits(long rows, long each) {
      Shape shape = Shape.of(rows + 1);
      TensorLimit.allocate(splitType, shape);
      long[] points = new long[shape.elements()];
      for (int i = 0; i < points.length; i++) {
        points[i] = i * each;
      }
      return IntegerTensors.vector(splitType, points);
    }

    /** Splits by the number of rows of each part. */
    private Tensor lengthSplits(List<RaggedVariant> parts) {
      long[] points = new long[parts.size() + 1];
      for (int i = 0; i < parts.size(); i++) {
        points[i + 1] = points[i] + parts.get(i).rows();
      }
      return IntegerTensors.vector(splitType, points);
    }

    private Tensor joinedSplits(List<RaggedVariant> parts, int level) {
      int size = 1;
      for (RaggedVariant part : parts) {
        size += part.splits().get(level).elements() - 1;
      }
      long[] points = new long[size];
      int at = 1;
      for (RaggedVariant part : parts) {
        Tensor own = part.splits().get(level);
        long base = points[at - 1];
        for (int i = 1; i < own.elements(); i++) {
          points[at++] = base + own.integer(i);
        }
      }
      return IntegerTensors.vector(splitType, points);
    }

    private Tensor joinedValues(List<RaggedVariant> parts) {
      if (parts.isEmpty()) {
        return noValues();
      }
      Shape first = parts.getFirst().values().shape();
      long rows = 0;
      for (int i = 0; i < parts.size(); i++) {
        Shape shape = parts.get(i).values().shape();
        if (shape.rank() != first.rank()) {
          throw invalidArgument(
              "Rank of values must match for all components; values shape at index 0: %s, values"
                  + " shape at index %d: %s",
              first, i, shape);
        }
        checkInner(first, shape, i);
        rows += shape.size(0);
      }
      Shape shape = first.dropFirst(1).prepend(rows);
      Object array = TensorLimit.allocate(valueType, shape);
      int at = 0;
      for (RaggedVariant part : parts) {
        Tensor values = part.values();
        valueType
            .kind()
            .copy(
                TensorMemory.array(values),
                TensorMemory.offset(values),
                array,
                at,
                values.elements());
        at += values.elements();
      }
      return Tensor.wrap(valueType, shape, array);
    }

    private static void checkInner(Shape first, Shape shape, int index) {
      if (!shape.dropFirst(1).equals(first.dropFirst(1))) {
        throw invalidArgument(
            "All flat_values must have compatible shapes.  Shape at index 0: %s.  Shape at index"
                + " %d: %s.  If you are using tf.map_fn, then you may need to specify an explicit"
                + " fn_output_signature with appropriate ragged_rank, and/or convert output"
                + " tensors to RaggedTensors.",
            first.dropFirst(1), index, shape.dropFirst(1));
      }
    }

    private Tensor noValues() {
      // The inner dimensions are unknown; TensorFlow assumes none.
      return Tensor.wrap(valueType, Shape.of(0), valueType.kind().newArray(0));
    }

    /** The values stacked along a new dimension; INVALID_ARGUMENT unless their shapes are equal. */
    private Tensor stackedValues(List<RaggedVariant> parts) {
      if (parts.isEmpty()) {
        return noValues();
      }
      Shape first = parts.getFirst().values().shape();
      for (int i = 0; i < parts.size(); i++) {
        Shape shape = parts.get(i).values().shape();
        if (!shape.equals(first)) {
          throw invalidArgument(
              "All flat_values must have compatible shapes.  Shape at index 0: %s.  Shape at index"
                  + " %d: %s",
              first, i, shape);
        }
      }
      return Column.stackRows(parts.stream().map(RaggedVariant::values).toList());
    }
  }
}
