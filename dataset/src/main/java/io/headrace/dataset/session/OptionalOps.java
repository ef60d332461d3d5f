package io.headrace.dataset.session;

import com.google.protobuf.ByteString;
import io.headrace.kernels.variant.AddableVariant;
import io.headrace.kernels.variant.VariantMath;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The ops of optionals: variants that hold an element, or none. */
final class OptionalOps {
  static final List<Op> OPS =
      List.of(
          Op.define("OptionalFromValue(components: [Toutput_types]) -> optional: variant")
              .attrs("Toutput_types: list(type)")
              .shape(ShapeFunctions.SCALAR)
              .stateless(call -> call.setOutput(0, variant(Optional.of(inputs(call))))),
          Op.define("OptionalNone() -> optional: variant")
              .shape(ShapeFunctions.SCALAR)
              .stateless(call -> call.setOutput(0, variant(Optional.empty()))),
          Op.define("OptionalHasValue(optional: variant) -> has_value: bool")
              .shape(ShapeFunctions.SCALAR)
              .stateless(
                  call -> call.setOutput(0, Tensor.scalar(element(call.input(0)).isPresent()))),
          Op.define("OptionalGetValue(optional: variant) -> components: [output_types]")
              .attrs("output_types: list(type)", "output_shapes: list(shape)")
              .shape(in -> in.attrs().shapes("output_shapes"))
              .kernel(OptionalOps::value));

  private OptionalOps() {}

  /** The type name in TensorFlow's variant registry. */
  private static final String TYPE_NAME = "tensorflow::data::Optional";

  /** The content of an optional. */
  private record OptionalElement(Optional<List<Tensor>> element)
      implements Variant, AddableVariant {
    @Override
    public String typeName() {
      return TYPE_NAME;
    }

    /** TensorFlow's form: one byte that says whether there is an element, and its components. */
    @Override
    public VariantTensorDataProto encode() {
      VariantTensorDataProto.Builder proto =
          VariantTensorDataProto.newBuilder()
              .setTypeName(TYPE_NAME)
              .setMetadata(ByteString.copyFrom(new byte[] {(byte) (element.isPresent() ? 1 : 0)}));
      element.ifPresent(
          components -> components.forEach(c -> proto.addTensors(TensorProtos.write(c))));
      return proto.build();
    }

    static OptionalElement decode(VariantTensorDataProto proto) {
      ByteString metadata = proto.getMetadata();
      boolean hasValue = metadata.size() == 1 && metadata.byteAt(0) != 0;
      return new OptionalElement(
          hasValue
              ? Optional.of(proto.getTensorsList().stream().map(TensorProtos::read).toList())
              : Optional.empty());
    }

    @Override
    public OptionalElement zeros() {
      return new OptionalElement(
          element.map(components -> components.stream().map(VariantMath::zeros).toList()));
    }

    @Override
    public OptionalElement plus(AddableVariant other) {
      Optional<List<Tensor>> more = ((OptionalElement) other).element;
      if (element.isPresent() != more.isPresent()) {
        throw StatusException.invalidArgument(
            "Cannot add optionals because one has a value and the other doesn't.");
      }
      return new OptionalElement(
          element.map(components -> sums(components, more.orElse(components))));
    }

    private static List<Tensor> sums(List<Tensor> some, List<Tensor> others) {
      if (some.size() != others.size()) {
        throw StatusException.invalidArgument(
            "Cannot add optionals because they have different numbers of components (%d vs. %d).",
            some.size(), others.size());
      }
      List<Tensor> sums = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        sums.add(VariantMath.sum(some.get(i), others.get(i)));
      }
      return sums;
    }
  }

  static Tensor variant(Optional<List<Tensor>> element) {
    return Tensor.variant(new OptionalElement(element));
  }

  private static List<Tensor> inputs(KernelCall call) {
    List<Tensor> inputs = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      inputs.add(call.input(i));
    }
    return inputs;
  }

  private static Optional<List<Tensor>> element(Tensor optional) {
    if (optional.dtype() == DataType.VARIANT && optional.elements() == 1) {
      if (optional.reference(0) instanceof OptionalElement held) {
        return held.element();
      }
      if (optional.reference(0) instanceof Variant.Encoded(VariantTensorDataProto proto)
          && proto.getTypeName().equals(TYPE_NAME)) {
        return OptionalElement.decode(proto).element();
      }
    }
    throw StatusException.invalidArgument("%s is no optional", optional);
  }

  private static Kernel.Sync value(NodeSpec node) {
    ElementTypes types = ElementTypes.of(node.attrs());
    return call -> {
      List<Tensor> element =
          element(call.input(0))
              .orElseThrow(() ->
                  StatusException.invalidArgument("The given optional does not have a value."));
      types.check(element);
      for (int i = 0; i < element.size(); i++) {
        call.setOutput(i, element.get(i));
      }
    };
  }
}
