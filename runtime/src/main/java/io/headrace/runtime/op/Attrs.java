package io.headrace.runtime.op;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attrs of one node, with the defaults of its op. Accessors throw NOT_FOUND if the attr is
 * missing and INVALID_ARGUMENT if it is of another kind, naming node, op and attr. Immutable.
 */
public final class Attrs {
  /** The maximum number of tensors of one argument. */
  private static final int MAX_COUNT = 1 << 20;

  private final String node;
  private final Op op;
  private final Map<String, AttrValue> values;

  /** The attrs {@code values} of the node {@code node}, an instance of {@code op}. */
  public Attrs(String node, Op op, Map<String, AttrValue> values) {
    this.node = node;
    this.op = op;
    this.values = Map.copyOf(values);
  }

  /** These attrs for a node of {@code other}, whose defaults they have. */
  Attrs of(Op other) {
    return new Attrs(node, other, values);
  }

  /** Whether the node has the attr, or the op a default for it. */
  public boolean has(String name) {
    return find(name) != null;
  }

  /** The node's value, or the op's default. */
  public AttrValue raw(String name) {
    AttrValue value = find(name);
    if (value == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "No attr named '%s' in NodeDef: {{node %s}} (op %s)",
          name,
          node,
          op.name());
    }
    return value;
  }

  private @Nullable AttrValue find(String name) {
    AttrValue value = values.get(name);
    if (value != null) {
      return value;
    }
    AttrSpec spec = op.attr(name);
    return spec == null ? null : spec.defaultValue().orElse(null);
  }

  private AttrValue value(String name, AttrValue.ValueCase expected) {
    AttrValue value = raw(name);
    // Some producers write an empty list as an AttrValue without a value.
    boolean emptyList =
        expected == AttrValue.ValueCase.LIST
            && value.getValueCase() == AttrValue.ValueCase.VALUE_NOT_SET;
    if (value.getValueCase() != expected && !emptyList) {
      throw StatusException.invalidArgument(
          "attr %s of node %s (op %s) must be %s and is %s",
          name, node, op.name(), expected, value.getValueCase());
    }
    return value;
  }

  /** A {@code string} attr, as text. */
  public String string(String name) {
    return value(name, AttrValue.ValueCase.S).getS().toStringUtf8();
  }

  /** A {@code string} attr, as bytes. */
  public ByteString bytes(String name) {
    return value(name, AttrValue.ValueCase.S).getS();
  }

  /** An {@code int} attr. */
  public long integer(String name) {
    return value(name, AttrValue.ValueCase.I).getI();
  }

  /** An {@code int} attr that counts tensors: from 0 to a million. */
  public int count(String name) {
    long count = integer(name);
    if (count < 0 || count > MAX_COUNT) {
      throw StatusException.invalidArgument(
          "attr %s of node %s (op %s) counts tensors and is %d", name, node, op.name(), count);
    }
    return (int) count;
  }

  /** A {@code float} attr. */
  public float floating(String name) {
    return value(name, AttrValue.ValueCase.F).getF();
  }

  /** A {@code bool} attr. */
  public boolean bool(String name) {
    return value(name, AttrValue.ValueCase.B).getB();
  }

  /** A {@code type} attr. */
  public DataType type(String name) {
    DataType type = DataType.ofNumber(value(name, AttrValue.ValueCase.TYPE).getTypeValue());
    checkAdmitted(name, type);
    return type;
  }

  private void checkAdmitted(String name, DataType type) {
    AttrSpec spec = op.attr(name);
    if (spec != null && !spec.types().contains(type)) {
      throw StatusException.invalidArgument(
          "node %s: op %s takes no %s for attr %s, only %s",
          node,
          op.name(),
          type.tfName(),
          name,
          spec.types().stream().map(DataType::tfName).sorted().toList());
    }
  }

  /** A {@code shape} attr, which may be partly unknown. */
  public Shape shape(String name) {
    return shapeOf(value(name, AttrValue.ValueCase.SHAPE).getShape());
  }

  /** A {@code tensor} attr. */
  public Tensor tensor(String name) {
    try {
      return TensorProtos.read(value(name, AttrValue.ValueCase.TENSOR).getTensor());
    } catch (StatusException e) {
      throw e.in("attr " + name + " of node " + node + " (op " + op.name() + ")");
    }
  }

  /** A {@code func} attr. */
  public FunctionRef function(String name) {
    return new FunctionRef(value(name, AttrValue.ValueCase.FUNC).getFunc().getName());
  }

  /** A {@code list(func)} attr. */
  public List<FunctionRef> functions(String name) {
    return list(name).getFuncList().stream().map(f -> new FunctionRef(f.getName())).toList();
  }

  /** A {@code list(type)} attr. */
  public List<DataType> types(String name) {
    List<DataType> result = new ArrayList<>();
    for (int number : list(name).getTypeValueList()) {
      DataType type = DataType.ofNumber(number);
      checkAdmitted(name, type);
      result.add(type);
    }
    return result;
  }

  /** A {@code list(shape)} attr. */
  public List<Shape> shapes(String name) {
    return list(name).getShapeList().stream().map(Attrs::shapeOf).toList();
  }

  /** A {@code list(int)} attr. */
  public List<Long> integers(String name) {
    return list(name).getIList();
  }

  /** A {@code list(float)} attr. */
  public List<Float> floats(String name) {
    return list(name).getFList();
  }

  /** A {@code list(bool)} attr. */
  public List<Boolean> bools(String name) {
    return list(name).getBList();
  }

  /** A {@code list(string)} attr, as text. */
  public List<String> strings(String name) {
    return list(name).getSList().stream().map(s -> s.toStringUtf8()).toList();
  }

  private AttrValue.ListValue list(String name) {
    return value(name, AttrValue.ValueCase.LIST).getList();
  }

  /** The attrs as the node holds them, without defaults. */
  public Map<String, AttrValue> values() {
    return values;
  }

  private static Shape shapeOf(TensorShapeProto proto) {
    return TensorProtos.shape(proto);
  }
}
