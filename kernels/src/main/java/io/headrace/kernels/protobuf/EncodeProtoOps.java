package io.headrace.kernels.protobuf;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** EncodeProto: serialized messages of tensors with their fields. */
final class EncodeProtoOps {
  private EncodeProtoOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("EncodeProto(sizes: int32, values: [Tinput_types]) -> bytes: string")
            .attrs(
                "field_names: list(string)",
                "message_type: string",
                "descriptor_source: string = \"local://\"",
                "Tinput_types: list(type)")
            .touches(Touch.READS_FILES)
            .shape(EncodeProtoOps::infer)
            .kernel(EncodeProto::new));
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    Shape output = Shape.UNKNOWN;
    for (int i = inputs.count() - 1; i > 0; i--) {
      Shape input = inputs.shape(i);
      Shapes.checkRankAtLeast(input, 2);
      Shape inner = input.isUnknownRank() ? input : input.sub(0, input.rank() - 1);
      output = Shapes.merge(inner, output);
    }
    return List.of(output);
  }

  /** The kernel, whose attrs are read and checked when it is made. */
  private static final class EncodeProto implements Kernel.Sync {
    private final List<FieldDescriptor> fields = new ArrayList<>();

    /** The places of the fields, in the order of their numbers. */
    private final int[] order;

    EncodeProto(NodeSpec node) {
      Attrs attrs = node.attrs();
      DescriptorSource source = DescriptorSource.of(attrs.bytes("descriptor_source"));
      Descriptor message = source.message(attrs.string("message_type"));
      for (String name : attrs.strings("field_names")) {
        @Nullable FieldDescriptor field = message.findFieldByName(name);
        if (field == null) {
          throw invalidArgument(
              "Unknown field: %s in message type %s", name, message.getFullName());
        }
        fields.add(field);
      }
      this.order =
          IntStream.range(0, fields.size())
              .boxed()
              .sorted(Comparator.comparingInt(i -> fields.get(i).getNumber()))
              .mapToInt(i -> i)
              .toArray();
    }

    @Override
    public void compute(KernelCall call) {
      if (call.inputs() - 1 != fields.size()) {
        throw invalidArgument("Length of inputs list must match field_names");
      }
      Shape prefix = checkedPrefix(call);
      Tensor sizes = call.input(0);
      checkSizes(sizes, prefix, call);
      byte[][] messages = ByteStrings.allocate(prefix);
      for (int row = 0; row < messages.length; row++) {
        call.cancellation().check();
        messages[row] = encode(call, sizes, row);
      }
      call.setOutput(0, Tensor.wrap(DataType.STRING, prefix, messages));
    }

    /** The shape of the messages, which all values have in common. */
    private Shape checkedPrefix(KernelCall call) {
      Shape prefix = Shape.SCALAR;
      for (int i = 0; i < fields.size(); i++) {
        Tensor values = call.input(1 + i);
        FieldDescriptor field = fields.get(i);
        if (!FieldTypes.areCompatible(field.getType(), values.dtype())) {
          throw invalidArgument(
              "Incompatible type for field %s.  Saw dtype: %s but field type is: %s",
              field.getName(),
              values.dtype().tfName(),
              field.getType().toString().toLowerCase(Locale.ROOT));
        }
        int rank = values.shape().rank();
        if (rank < 2) {
          throw invalidArgument(
              "Invalid shape for field %s.  Saw shape %s but it should be at least a matrix.",
              field.getName(), values.shape());
        }
        Shape outer = values.shape().sub(0, rank - 1);
        if (i > 0 && !outer.equals(prefix)) {
          throw invalidArgument("Values must match up to the last dimension");
        }
        prefix = outer;
      }
      return prefix;
    }

    private void checkSizes(Tensor sizes, Shape prefix, KernelCall call) {
      Shape expected = Shapes.concat(prefix, Shape.of(fields.size()));
      if (!sizes.shape().equals(expected)) {
        throw invalidArgument(
            "sizes should be batch_size + [len(field_names)].  Saw: %s but expected: %s",
            sizes.shape(), expected);
      }
      for (int i = 0; i < fields.size(); i++) {
        long width = width(call.input(1 + i));
        for (int row = 0; row < prefix.elements(); row++) {
          long size = sizes.integer(row * fields.size() + i);
          if (size > width) {
            throw invalidArgument(
                "Size to write must not be larger than value tensor; but saw: %d > %d at message"
                    + " %d field %d",
                size, width, row, i);
          }
        }
      }
    }

    private static int width(Tensor values) {
      return (int) values.shape().size(values.shape().rank() - 1);
    }

    private byte[] encode(KernelCall call, Tensor sizes, int row) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      try {
        for (int i : order) {
          int size = (int) sizes.integer(row * fields.size() + i);
          if (size != 0) {
            Tensor values = call.input(1 + i);
            writeField(fields.get(i), values, row * width(values), size, out);
          }
        }
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException("memory does not fail", e);
      }
      return bytes.toByteArray();
    }

    private static void writeField(
        FieldDescriptor field, Tensor values, int from, int size, CodedOutputStream out)
        throws IOException {
      int number = field.getNumber();
      if (field.isPacked()) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        CodedOutputStream inner = CodedOutputStream.newInstance(packed);
        for (int i = from; i < from + size; i++) {
          FieldWriter.write(field.getType(), values, i, inner);
        }
        inner.flush();
        out.writeTag(number, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeByteArrayNoTag(packed.toByteArray());
        return;
      }
      for (int i = from; i < from + size; i++) {
        out.writeTag(number, FieldTypes.wireType(field.getType()));
        FieldWriter.write(field.getType(), values, i, out);
        if (field.getType() == FieldDescriptor.Type.GROUP) {
          out.writeTag(number, WireFormat.WIRETYPE_END_GROUP);
        }
      }
    }
  }
}
