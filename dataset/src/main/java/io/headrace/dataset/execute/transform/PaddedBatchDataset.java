package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Batches of {@code size} elements of the input, padded to a common shape and stacked.
 *
 * @param input the input dataset
 * @param size the batch size
 * @param dropsRemainder whether a last, smaller batch is dropped
 * @param paddedShapes the shape to pad each component to; -1 for the largest in the batch
 * @param paddingValues a scalar for each component
 * @param spec the types of the batches
 */
public record PaddedBatchDataset(
    DatasetValue input,
    long size,
    boolean dropsRemainder,
    List<Shape> paddedShapes,
    List<Tensor> paddingValues,
    ElementSpec spec)
    implements UnaryDataset.Declared {
  private static final String INPUTS =
      "(input_dataset: variant, batch_size: int64, padded_shapes: N * int64,"
          + " padding_values: [Toutput_types]";
  private static final String[] ATTRS = {
    "Toutput_types: list(type)", "output_shapes: list(shape)", "N: int", "metadata: string = ''"
  };

  public static final List<Op> OPS =
      List.of(
          DatasetOp.define("PaddedBatchDataset" + INPUTS + ")")
              .attrs(ATTRS)
              .kernel(DatasetKernel.making(in -> of(in, false))),
          DatasetOp.define("PaddedBatchDatasetV2" + INPUTS + ", drop_remainder: bool)")
              .attrs("parallel_copy: bool = false")
              .attrs(ATTRS)
              .kernel(DatasetKernel.making(in -> of(in, in.bool("drop_remainder")))));

  private static PaddedBatchDataset of(OpArguments in, boolean dropsRemainder) {
    DatasetValue input = in.dataset("input_dataset");
    List<Shape> shapes = new ArrayList<>();
    for (Tensor shape : in.tensors("padded_shapes")) {
      if (shape.dtype() != DataType.INT64 || shape.shape().rank() != 1) {
        throw in.invalid("All padded shapes must be vectors of int64, and one is %s", shape);
      }
      shapes.add(Shape.of(shape.integers()));
    }
    List<Tensor> values = in.tensors("padding_values");
    ElementSpec spec = in.spec("Toutput_types");
    if (shapes.size() != input.outputTypes().size() || values.size() != shapes.size()) {
      throw in.invalid(
          "Number of padded shapes (%d) and of padding values (%d) must match the number of"
              + " components in the input dataset's elements (%d)",
          shapes.size(), values.size(), input.outputTypes().size());
    }
    for (int i = 0; i < values.size(); i++) {
      check(in, i, values.get(i), input.outputTypes().get(i));
    }
    return new PaddedBatchDataset(
        input, in.positive("batch_size"), dropsRemainder, shapes, values, spec);
  }

  private static void check(OpArguments in, int component, Tensor value, DataType type) {
    if (value.shape().rank() != 0 || value.dtype() != type) {
      throw in.invalid(
          "padding value %d must be a scalar %s, and is %s",
          component, type.tfName(), value.typeAndShape());
    }
  }

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    return rows < 0 ? rows : rows / size + (rows % size == 0 || dropsRemainder ? 0 : 1);
  }

  @Override
  public Lineage lineage() {
    return input.lineage().united();
  }

  @Override
  public String iteratorName() {
    return "PaddedBatchV2";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new PaddedBatchIterator(this, context.open(input));
  }
}
