package io.headrace.runtime.op;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.tensor.DataType;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One attr of an op. The syntax of a declaration is {@code name: kind} or {@code name: kind =
 * default}, where kind is one of {@link AttrKind}'s spellings, {@code list(kind)}, a set of dtypes
 * ({@code number}, {@code real}, {@code floating}, {@code integer}) or {@code {float, int32}}.
 *
 * @param name the attr's name
 * @param kind the kind of its value
 * @param elementKind the kind of a list's elements; {@code kind} for other attrs
 * @param types the allowed dtypes, for an attr whose value is a dtype
 * @param defaultValue the value for nodes without the attr; empty if the attr is required
 */
public record AttrSpec(
    String name,
    AttrKind kind,
    AttrKind elementKind,
    Set<DataType> types,
    Optional<AttrValue> defaultValue) {
  private static final Pattern SYNTAX =
      Pattern.compile(
          "(\\w+):\\s*(\\{[^}]*}|list\\((?:\\w+|\\{[^}]*})\\)|\\w+)(?:\\s*=\\s*(.*))?",
          Pattern.DOTALL);

  static AttrSpec parse(String spec) {
    Matcher m = SYNTAX.matcher(spec.trim());
    if (!m.matches()) {
      throw new IllegalArgumentException("not an attr: " + spec);
    }
    String written = m.group(2);
    boolean list = written.startsWith("list(");
    String element = list ? written.substring(5, written.length() - 1) : written;
    boolean typeSet = TypeSet.isName(element) && !element.equals("bool");
    AttrKind elementKind = typeSet ? AttrKind.TYPE : AttrKind.ofSpelling(element);
    return new AttrSpec(
        m.group(1),
        list ? AttrKind.LIST : elementKind,
        elementKind,
        typeSet ? TypeSet.parse(element) : EnumSet.allOf(DataType.class),
        Optional.ofNullable(m.group(3)).map(text -> value(text.trim(), list, elementKind)));
  }

  private static AttrValue value(String text, boolean list, AttrKind kind) {
    if (!list) {
      return single(text, kind);
    }
    AttrValue.ListValue.Builder values = AttrValue.ListValue.newBuilder();
    String inner = text.substring(1, text.length() - 1).trim();
    if (!inner.isEmpty()) {
      for (String part : inner.split(",", -1)) {
        add(values, single(part.trim(), kind));
      }
    }
    return AttrValue.newBuilder().setList(values).build();
  }

  private static void add(AttrValue.ListValue.Builder values, AttrValue value) {
    switch (value.getValueCase()) {
      case S -> values.addS(value.getS());
      case I -> values.addI(value.getI());
      case F -> values.addF(value.getF());
      case B -> values.addB(value.getB());
      case TYPE -> values.addType(value.getType());
      case SHAPE -> values.addShape(value.getShape());
      default -> throw new IllegalArgumentException("no default list of " + value.getValueCase());
    }
  }

  private static AttrValue single(String text, AttrKind kind) {
    AttrValue.Builder value = AttrValue.newBuilder();
    return switch (kind) {
      case STRING ->
          value.setS(ByteString.copyFromUtf8(text.substring(1, text.length() - 1))).build();
      case INT -> value.setI(Long.parseLong(text)).build();
      case FLOAT -> value.setF(Float.parseFloat(text)).build();
      case BOOL -> value.setB(Boolean.parseBoolean(text)).build();
      case TYPE -> value.setTypeValue(DataType.ofName(text).number()).build();
      case SHAPE ->
          value.setShape(TensorShapeProto.newBuilder().setUnknownRank(!text.equals("[]"))).build();
      case TENSOR -> value.setTensor(vector(text)).build();
      case FUNC, LIST ->
          throw new IllegalArgumentException("an attr of kind " + kind + " has no default");
    };
  }

  /** A vector of small integers, written {@code uint8[255 0]}. */
  private static TensorProto vector(String text) {
    int bracket = text.indexOf('[');
    String[] numbers = text.substring(bracket + 1, text.length() - 1).split(" ", -1);
    TensorProto.Builder tensor =
        TensorProto.newBuilder()
            .setDtypeValue(DataType.ofName(text.substring(0, bracket)).number());
    tensor.getTensorShapeBuilder().addDimBuilder().setSize(numbers.length);
    for (String number : numbers) {
      tensor.addIntVal(Integer.parseInt(number));
    }
    return tensor.build();
  }
}
