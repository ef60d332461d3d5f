package io.headrace.kernels.protobuf;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UninitializedMessageException;
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
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** DecodeProtoV2: fields of serialized messages as tensors. */
final class DecodeProtoOps {
  /** As deep as protobuf reads messages. */
  private static final int MAX_DEPTH = 100;

  private DecodeProtoOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeProtoV2(bytes: string) -> (sizes: int32, values: [output_types])")
            .attrs(
                "message_type: string",
                "field_names: list(string)",
                "output_types: list(type)",
                "descriptor_source: string = \"local://\"",
                "message_format: string = \"binary\"",
                "sanitize: bool = false")
            .touches(Touch.READS_FILES)
            .shape(DecodeProtoOps::infer)
            .kernel(DecodeProto::new));
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    Shape input = inputs.shape(0);
    int fields = inputs.attrs().types("output_types").size();
    List<Shape> shapes = new ArrayList<>();
    shapes.add(Shapes.concat(input, Shape.of(fields)));
    for (int i = 0; i < fields; i++) {
      shapes.add(Shapes.concat(input, Shape.of(Shape.UNKNOWN_DIMENSION)));
    }
    return shapes;
  }

  /** The kernel, whose attrs are read and checked when it is made. */
  private static final class DecodeProto implements Kernel.Sync {
    private final Descriptor message;
    private final ExtensionRegistry extensions;
    private final List<ProtoField> fields;
    private final boolean isText;
    private final boolean isSanitized;

    DecodeProto(NodeSpec node) {
      Attrs attrs = node.attrs();
      DescriptorSource source = DescriptorSource.of(attrs.bytes("descriptor_source"));
      this.message = source.message(attrs.string("message_type"));
      this.extensions = source.registry();
      this.fields = fields(source, attrs);
      String format = attrs.string("message_format");
      if (!format.equals("binary") && !format.equals("text")) {
        throw invalidArgument("format must be one of binary or text");
      }
      this.isText = format.equals("text");
      this.isSanitized = attrs.bool("sanitize");
    }

    private List<ProtoField> fields(DescriptorSource source, Attrs attrs) {
      List<String> names = attrs.strings("field_names");
      List<DataType> dtypes = attrs.types("output_types");
      if (names.size() != dtypes.size()) {
        throw invalidArgument("field_names and output_types attributes must have the same length");
      }
      List<ProtoField> found = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        String name = names.get(i);
        @Nullable FieldDescriptor field = message.findFieldByName(name);
        if (field == null) {
          field = source.extension(message, name);
        }
        if (field == null) {
          throw invalidArgument(
              "Unknown field: %s in message type %s", name, message.getFullName());
        }
        if (!FieldTypes.areCompatible(field.getType(), dtypes.get(i))) {
          throw invalidArgument(
              "Unexpected output type for %s: %s to %s",
              field.getFullName(), field.getType(), dtypes.get(i).tfName());
        }
        found.add(new ProtoField(field, i, dtypes.get(i)));
      }
      return found.stream().sorted(Comparator.comparingInt(ProtoField::number)).toList();
    }

    @Override
    public void compute(KernelCall call) {
      Tensor input = call.input(0);
      if (input.elements() < 1) {
        throw invalidArgument("Bufs argument must contain at least one value");
      }
      byte[][] messages = new byte[input.elements()][];
      for (int i = 0; i < messages.length; i++) {
        byte[] given = input.string(i);
        messages[i] = isText || isSanitized ? serialized(given) : given;
      }
      int[] widths = new int[fields.size()];
      call.setOutput(0, count(messages, input.shape(), widths, call));
      List<FieldColumn> columns = new ArrayList<>();
      for (ProtoField field : fields) {
        Shape shape = Shapes.concat(input.shape(), Shape.of(widths[field.index()]));
        columns.add(new FieldColumn(field.dtype(), shape));
      }
      for (int i = 0; i < messages.length; i++) {
        call.cancellation().check();
        collect(messages[i], columns, i);
      }
      for (int i = 0; i < columns.size(); i++) {
        call.setOutput(1 + fields.get(i).index(), columns.get(i).tensor());
      }
    }

    /** The message that {@code given} is, in text or in bytes, read and written anew. */
    private byte[] serialized(byte[] given) {
      try {
        DynamicMessage.Builder builder = DynamicMessage.newBuilder(message);
        if (isText) {
          TextFormat.Parser.newBuilder()
              .setRecursionLimit(MAX_DEPTH)
              .build()
              .merge(ByteStrings.text(given), extensions, builder);
        } else {
          builder.mergeFrom(given, extensions);
        }
        return builder.build().toByteArray();
      } catch (TextFormat.ParseException
          | InvalidProtocolBufferException
          | UninitializedMessageException e) {
        throw MessageScanner.dataLoss(
            "Unable to parse %s protobuf: %s"
                .formatted(isText ? "text" : "binary", e.getMessage()));
      }
    }

    /** The number of values of each field in each message, and the most of each, at least 1. */
    private Tensor count(byte[][] messages, Shape prefix, int[] widths, KernelCall call) {
      Arrays.fill(widths, 1);
      Shape shape = Shapes.concat(prefix, Shape.of(fields.size()));
      int[] sizes = (int[]) TensorLimit.allocate(DataType.INT32, shape);
      for (int i = 0; i < messages.length; i++) {
        call.cancellation().check();
        List<FieldCounter> counters = fields.stream().map(FieldCounter::new).toList();
        MessageScanner.scan(messages[i], byNumber(counters));
        for (FieldCounter counter : counters) {
          int index = counter.field().index();
          sizes[i * fields.size() + index] = counter.count();
          widths[index] = Math.max(widths[index], counter.count());
        }
      }
      return Tensor.wrap(DataType.INT32, shape, sizes);
    }

    private void collect(byte[] bytes, List<FieldColumn> columns, int row) {
      List<FieldCollector> collectors = new ArrayList<>();
      for (int i = 0; i < fields.size(); i++) {
        FieldColumn column = columns.get(i);
        collectors.add(new FieldCollector(fields.get(i), column, row * column.width()));
      }
      MessageScanner.scan(bytes, byNumber(collectors));
      collectors.forEach(FieldCollector::finish);
    }

    /** The sinks by the number of their field; of several with one number, the first. */
    private static <S extends FieldSink> Map<Integer, S> byNumber(List<S> sinks) {
      Map<Integer, S> result = new HashMap<>();
      sinks.forEach(sink -> result.putIfAbsent(sink.field().number(), sink));
      return result;
    }
  }
}
