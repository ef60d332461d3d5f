package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.movement.SegmentOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.List;

/**
 * UnsortedSegmentJoin: joins the strings of each segment, in the order of the input, with a
 * separator between them.
 */
final class UnsortedSegmentJoinOps {
  private UnsortedSegmentJoinOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments:"
                    + " Tnumsegments) -> output: string")
            .attrs(
                "separator: string = \"\"",
                "Tindices: {int32, int64}",
                "Tnumsegments: {int32, int64} = int32")
            .shape(SegmentOps::unsortedRule)
            .kernel(node -> {
              byte[] separator = ByteStrings.attr(node.attrs(), "separator");
              return call -> segmentJoin(call, separator);
            }));
  }

  private static void segmentJoin(KernelCall call, byte[] separator) {
    Tensor inputs = call.input(0);
    Tensor ids = call.input(1);
    Tensor count = call.input(2);
    checkSegments(inputs.shape(), ids.shape(), count);
    long segments = count.integer(0);
    Shape inner = inputs.shape().dropFirst(ids.shape().rank());
    Shape shape = inner.prepend(segments);
    byte[][] joined = (byte[][]) TensorLimit.allocate(DataType.STRING, shape);
    int block = inner.elements();
    ByteArrayOutputStream[] texts = new ByteArrayOutputStream[joined.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = new ByteArrayOutputStream();
    }
    for (int i = 0; i < ids.elements(); i++) {
      call.cancellation().check();
      long id = ids.integer(i);
      if (id < 0 || id >= segments) {
        throw invalidArgument(
            "segment_ids are not allowed to exceed num_segments or to have negative values.");
      }
      for (int j = 0; j < block; j++) {
        ByteArrayOutputStream text = texts[(int) id * block + j];
        if (text.size() > 0) {
          text.writeBytes(separator);
        }
        text.writeBytes(inputs.string(i * block + j));
      }
    }
    for (int i = 0; i < texts.length; i++) {
      joined[i] = texts[i].toByteArray();
    }
    call.setOutput(0, Tensor.wrap(DataType.STRING, shape, joined));
  }

  private static void checkSegments(Shape inputs, Shape ids, Tensor count) {
    if (count.elements() == 0) {
      throw invalidArgument("Number of segments cannot be empty.");
    }
    if (count.integer(0) < 0) {
      throw invalidArgument("Number of segments must be non-negative but got %d", count.integer(0));
    }
    if (ids.rank() == 0) {
      throw invalidArgument("Segment_id cannot have rank 0");
    }
    if (ids.rank() > inputs.rank()) {
      throw StatusException.of(
          StatusCode.OUT_OF_RANGE,
          "Invalid segment_id rank %d for input with %d dimension(s)",
          ids.rank(),
          inputs.rank());
    }
    for (int axis = 0; axis < ids.rank(); axis++) {
      if (ids.size(axis) != inputs.size(axis)) {
        throw invalidArgument(
            "Segment dimension is %d while input dimension is %d in rank %d",
            ids.size(axis), inputs.size(axis), axis);
      }
    }
  }
}
