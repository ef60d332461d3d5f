package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Tensor;

/** The inputs and attrs that summary ops have in common. */
final class SummaryInputs {
  /** The dtypes of the values of scalar and histogram summaries. */
  static final String REAL =
      "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

  /** A remark on ops whose tags may be any bytes. */
  static final String TAGS = "Bytes of a tag that are no UTF-8 become U+FFFD.";

  private SummaryInputs() {}

  /** The int attr {@code name}; INVALID_ARGUMENT unless it is from 1 to 2^31 - 1. */
  static long atLeastOne(NodeSpec node, String name) {
    long value = node.attrs().integer(name);
    if (value < 1 || value > Integer.MAX_VALUE) {
      throw invalidArgument("%s must be from 1 up to 2^31 - 1, got %d", name, value);
    }
    return value;
  }

  /** The one string of input {@code index}; INVALID_ARGUMENT unless it has one element. */
  static String text(KernelCall call, int index) {
    Tensor tensor = call.input(index);
    if (tensor.elements() != 1) {
      throw invalidArgument("input %d must be a scalar, got shape %s", index, tensor.shape());
    }
    return ByteStrings.text(tensor.string(0));
  }

  /** The one number of input {@code index}; INVALID_ARGUMENT unless it has one element. */
  static float sampleRate(KernelCall call, int index) {
    Tensor rate = call.input(index);
    if (rate.elements() != 1) {
      throw invalidArgument("sample_rate must be a scalar, got shape %s", rate.shape());
    }
    return rate.floats()[0];
  }

  /** Sets output 0 to {@code summary}, serialized. */
  static void setOutput(KernelCall call, Summary summary) {
    call.setOutput(0, Tensor.wrap(summary.toByteArray()));
  }
}
