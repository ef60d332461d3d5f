package io.headrace.kernels.example;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Sets the outputs of an op that parses tf.SequenceExamples, in the order of its declaration. */
final class SequenceExampleOutputs {
  private final KernelCall call;
  private int next;

  SequenceExampleOutputs(KernelCall call) {
    this.call = call;
  }

  private void add(Tensor value) {
    call.setOutput(next++, value);
  }

  /** Sets all outputs; the lengths of dense feature lists only if {@code withLengths}. */
  void set(SequenceExampleParser.Parsed parsed, boolean withLengths) {
    List<SequenceExampleBuffer> context = parsed.context();
    addSparse(context, false);
    dense(context).forEach(b -> add(b.contextValues(shape(b))));
    ragged(context).forEach(b -> add(b.flatValues()));
    ragged(context).forEach(b -> add(b.contextSplits(splits(b))));
    List<SequenceExampleBuffer> lists = parsed.lists();
    addSparse(lists, true);
    dense(lists).forEach(b -> add(b.paddedValues(shape(b))));
    if (withLengths) {
      dense(lists).forEach(b -> add(b.lengths()));
    }
    ragged(lists).forEach(b -> add(b.flatValues()));
    ragged(lists).forEach(b -> add(b.outerSplits(splits(b))));
    ragged(lists).forEach(b -> add(b.innerSplits(splits(b))));
  }

  private void addSparse(List<SequenceExampleBuffer> buffers, boolean lists) {
    List<SequenceExampleBuffer> sparse =
        buffers.stream().filter(b -> b.feature() instanceof SequenceExampleFeature.Sparse).toList();
    sparse.forEach(b -> add(b.indices(lists)));
    sparse.forEach(b -> add(b.flatValues()));
    sparse.forEach(b -> add(b.denseShape(lists)));
  }

  private static List<SequenceExampleBuffer> dense(List<SequenceExampleBuffer> buffers) {
    return buffers.stream()
        .filter(b -> b.feature() instanceof SequenceExampleFeature.Dense)
        .toList();
  }

  private static List<SequenceExampleBuffer> ragged(List<SequenceExampleBuffer> buffers) {
    return buffers.stream()
        .filter(b -> b.feature() instanceof SequenceExampleFeature.Ragged)
        .toList();
  }

  private static Shape shape(SequenceExampleBuffer buffer) {
    return ((SequenceExampleFeature.Dense) buffer.feature()).shape();
  }

  private static DataType splits(SequenceExampleBuffer buffer) {
    return ((SequenceExampleFeature.Ragged) buffer.feature()).splits();
  }
}
