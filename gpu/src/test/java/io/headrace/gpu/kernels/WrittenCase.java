package io.headrace.gpu.kernels;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * A node with inputs.
 *
 * @param tolerance how far floating-point results may be from the CPU's; if empty, they have its
 *     bits
 */
record WrittenCase(NodeSpec node, List<Tensor> inputs, OptionalDouble tolerance) {
  /** Copies the list. */
  WrittenCase {
    inputs = List.copyOf(inputs);
  }

  /** A case of {@code op}; the attrs are names and values in turn. */
  static WrittenCase of(String op, List<Tensor> inputs, Object... attrs) {
    Op declared = Objects.requireNonNull(OpRegistry.standard().find(op), op);
    Map<String, AttrValue> values = new LinkedHashMap<>();
    for (int i = 0; i < attrs.length; i += 2) {
      values.put((String) attrs[i], value(attrs[i + 1]));
    }
    NodeSpec node =
        NodeSpec.of("n", declared, new Attrs("n", declared, values), FunctionLookup.none());
    return new WrittenCase(node, inputs, OptionalDouble.empty());
  }

  private static AttrValue value(Object value) {
    AttrValue.Builder builder = AttrValue.newBuilder();
    switch (value) {
      case DataType dtype -> builder.setTypeValue(dtype.number());
      case Integer number -> builder.setI(number);
      case Boolean flag -> builder.setB(flag);
      case Float number -> builder.setF(number);
      case Shape shape -> {
        for (long size : shape.dimensions()) {
          builder.getShapeBuilder().addDimBuilder().setSize(size);
        }
      }
      case String text -> builder.setS(ByteString.copyFromUtf8(text));
      case List<?> texts ->
          texts.forEach(
              text -> builder.getListBuilder().addS(ByteString.copyFromUtf8((String) text)));
      default -> throw new IllegalArgumentException(value.toString());
    }
    return builder.build();
  }

  /** The same with a tolerance. */
  WrittenCase within(double difference) {
    return new WrittenCase(node, inputs, OptionalDouble.of(difference));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(node.op().name());
    for (Tensor input : inputs) {
      boolean isShort = input.elements() <= 8 && input.dtype().isInteger();
      text.append(' ').append(isShort ? input.toString() : input.typeAndShape());
    }
    return text.toString();
  }
}
