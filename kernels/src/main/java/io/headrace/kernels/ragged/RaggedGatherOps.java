package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.movement.GatherOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The RaggedGather op: rows of a ragged tensor, gathered by index. */
final class RaggedGatherOps {
  private RaggedGatherOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK * Tsplits,"
                    + " params_dense_values: Tvalues, indices: Tindices) ->"
                    + " (output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits,"
                    + " output_dense_values: Tvalues)")
            .attrs(
                "Tvalues: type",
                "Tindices: {int32, int64}",
                "Tsplits: {int32, int64} = int64",
                "PARAMS_RAGGED_RANK: int",
                "OUTPUT_RAGGED_RANK: int")
            .shape(RaggedGatherOps::rule)
            .stateless(call -> new Gather(call).run()));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    int levels = in.count() - 2;
    Shape indices = in.shape(levels + 1);
    int outputs = in.attrs().count("OUTPUT_RAGGED_RANK");
    if (!indices.isUnknownRank() && indices.rank() + levels - 1 != outputs) {
      throw invalidArgument(
          "OUTPUT_RAGGED_RANK must be %d for indices of rank %d, and is %d",
          indices.rank() + levels - 1, indices.rank(), outputs);
    }
    Shape values = in.shape(levels);
    Shapes.checkRankAtLeast(values, 1);
    List<Shape> shapes = new ArrayList<>(Collections.nCopies(outputs, Shapes.ofRank(1)));
    shapes.add(
        values.isUnknownRank() ? values : values.dropFirst(1).prepend(Shape.UNKNOWN_DIMENSION));
    return shapes;
  }

  /** One call: builds the output splits along with the ranges of values to copy. */
  private static final class Gather {
    private final KernelCall call;
    private final int levels;
    private final Tensor values;
    private final Tensor indices;
    private final List<LongList> splits = new ArrayList<>();

    /** Start and end of each range of values to copy. */
    private final LongList valueRanges = new LongList();

    private long count;

    Gather(KernelCall call) {
      this.call = call;
      this.levels = call.inputs() - 2;
      this.values = call.input(levels);
      this.indices = call.input(levels + 1);
    }

    void run() {
      for (int level = 0; level < levels; level++) {
        if (call.input(level).shape().rank() != 1) {
          throw invalidArgument(
              "params_nested_splits must be vectors, got shape %s", call.input(level).shape());
        }
      }
      checkIndices();
      if (values.shape().rank() == 0) {
        throw invalidArgument("params.rank must be nonzero");
      }
      checkSplits();
      for (int i = 0; i < indices.shape().rank() - 1 + levels; i++) {
        splits.add(new LongList());
        splits.getLast().add(0);
      }
      addSplitsOfIndices();
      for (int i = 0; i < indices.elements(); i++) {
        call.cancellation().check();
        addRow((int) indices.integer(i));
      }
      for (int i = 0; i < splits.size(); i++) {
        call.setOutput(i, IntegerTensors.vector(call.input(0).dtype(), splits.get(i).toArray()));
      }
      call.setOutput(splits.size(), gatherValues());
    }

    private void checkIndices() {
      long rows = call.input(0).shape().size(0) - 1;
      for (int i = 0; i < indices.elements(); i++) {
        long index = indices.integer(i);
        if (index < 0 || index >= rows) {
          throw invalidArgument(
              "indices%s = %d is not in [0, %d)",
              GatherOps.position(indices.shape(), i), index, rows);
        }
      }
    }

    private void checkSplits() {
      for (int level = 0; level < levels; level++) {
        Tensor own = call.input(level);
        long last =
            level == levels - 1 ? values.shape().size(0) : call.input(level + 1).elements() - 1;
        if (own.elements() == 0) {
          throw invalidArgument("Ragged splits may not be empty");
        }
        if (own.integer(0) < 0) {
          throw invalidArgument("Ragged splits must be non-negative");
        }
        if (own.integer(own.elements() - 1) > last) {
          throw invalidArgument("Ragged splits must not point past values");
        }
        for (int i = 1; i < own.elements(); i++) {
          if (own.integer(i - 1) > own.integer(i)) {
            throw invalidArgument("Ragged splits must be sorted");
          }
        }
      }
    }

    /** Adds uniform splits for each dimension of the indices but the last. */
    private void addSplitsOfIndices() {
      Shape shape = indices.shape();
      long rows = 1;
      for (int axis = 0; axis < shape.rank() - 1; axis++) {
        rows *= shape.size(axis);
        for (long i = 1; i <= rows; i++) {
          splits.get(axis).add(i * shape.size(axis + 1));
        }
      }
    }

    /** Appends the row {@code index} to the output. */
    private void addRow(int index) {
      int from = index;
      int to = index + 1;
      for (int level = 0; level < levels; level++) {
        Tensor own = call.input(level);
        int out = level + indices.shape().rank() - 1;
        if (out >= 0) {
          LongList target = splits.get(out);
          long shift = target.last() - own.integer(from);
          for (int i = from; i < to; i++) {
            target.add(own.integer(i + 1) + shift);
          }
        }
        from = (int) own.integer(from);
        to = (int) own.integer(to);
      }
      if (to != from) {
        valueRanges.add(from);
        valueRanges.add(to);
        count += to - from;
      }
    }

    private Tensor gatherValues() {
      Shape inner = values.shape().dropFirst(1);
      Shape shape = inner.prepend(count);
      Object array = TensorLimit.allocate(values.dtype(), shape);
      int block = inner.elements();
      int at = 0;
      long[] bounds = valueRanges.toArray();
      for (int i = 0; i < bounds.length; i += 2) {
        int size = (int) (bounds[i + 1] - bounds[i]) * block;
        int from = TensorMemory.offset(values) + (int) bounds[i] * block;
        values.dtype().kind().copy(TensorMemory.array(values), from, array, at, size);
        at += size;
      }
      return Tensor.wrap(values.dtype(), shape, array);
    }
  }

  /** A growable array of longs. */
  private static final class LongList {
    private long[] array = new long[16];
    private int size;

    void add(long value) {
      if (size == array.length) {
        array = Arrays.copyOf(array, size * 2);
      }
      array[size++] = value;
    }

    long last() {
      return array[size - 1];
    }

    long[] toArray() {
      return Arrays.copyOf(array, size);
    }
  }
}
