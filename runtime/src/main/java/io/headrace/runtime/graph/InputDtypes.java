package io.headrace.runtime.graph;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the dtypes of a new node's inputs. Its errors, INVALID_ARGUMENT, say what to write
 * instead.
 */
final class InputDtypes {
  /** The dtypes that are proposed where several would do, the best first. */
  private static final List<DataType> COMMON =
      List.of(
          DataType.FLOAT32,
          DataType.FLOAT64,
          DataType.INT64,
          DataType.INT32,
          DataType.COMPLEX64,
          DataType.BOOL,
          DataType.STRING);

  /** The dtypes that a string can be parsed as. */
  private static final Set<DataType> PARSED =
      Set.of(DataType.FLOAT32, DataType.FLOAT64, DataType.INT32, DataType.INT64);

  private final Op op;
  private final List<ArgSpec> specs;
  private final List<Output> inputs;

  /**
   * The inputs of a node of {@code op}.
   *
   * @param arguments the inputs of each argument
   */
  InputDtypes(Op op, List<List<Output>> arguments) {
    this.op = op;
    this.inputs = arguments.stream().flatMap(List::stream).toList();
    this.specs =
        Stream.iterate(0, i -> i < arguments.size(), i -> i + 1)
            .flatMap(i -> arguments.get(i).stream().map(_ -> op.inputs().get(i)))
            .toList();
  }

  /**
   * Throws unless the inputs have the dtypes that the op declares, where its type attrs have the
   * values of {@code attrs}.
   */
  void check(Attrs attrs) {
    for (int i = 0; i < inputs.size(); i++) {
      checkAllowed(i);
    }
    List<DataType> declared = GraphReader.types(op.inputs(), attrs);
    for (int i = 0; i < declared.size(); i++) {
      DataType wanted = declared.get(i);
      if (i >= inputs.size()) {
        throw StatusException.invalidArgument(
            "input %d of op %s must be %s and is missing", i, op.name(), wanted.tfName());
      }
      if (inputs.get(i).dtype() != wanted) {
        throw mismatch(i, wanted);
      }
    }
  }

  private void checkAllowed(int index) {
    ArgSpec spec = specs.get(index);
    @Nullable AttrSpec attr = spec.isTypeList() ? null : op.attr(spec.typeAttr());
    DataType given = inputs.get(index).dtype();
    if (attr == null || attr.types().contains(given) || givesType(spec.typeAttr()) != index) {
      return;
    }
    DataType wanted =
        COMMON.stream()
            .filter(type -> attr.types().contains(type) && !remedy(given, type).isEmpty())
            .findFirst()
            .orElse(given);
    String remedy = remedy(given, wanted);
    throw StatusException.invalidArgument(
        "input %d of op %s is %s, and must be one of %s%s",
        index,
        op.name(),
        given.tfName(),
        attr.types().stream().map(DataType::tfName).sorted().toList(),
        remedy.isEmpty() ? "" : ": write " + remedy + " for it");
  }

  /** The first input whose dtype is that of the attr; -1 if there is none. */
  private int givesType(String attr) {
    for (int i = 0; i < specs.size(); i++) {
      if (!specs.get(i).isTypeList() && specs.get(i).typeAttr().equals(attr)) {
        return i;
      }
    }
    return -1;
  }

  private StatusException mismatch(int index, DataType wanted) {
    DataType given = inputs.get(index).dtype();
    ArgSpec spec = specs.get(index);
    int other = spec.typeAttr().isEmpty() || spec.isTypeList() ? -1 : givesType(spec.typeAttr());
    boolean isTied = other >= 0 && other < index && inputs.get(other).dtype() == wanted;
    String here = remedy(given, wanted);
    String there = isTied ? remedy(wanted, given) : "";
    String both =
        Stream.of(
                here.isEmpty() ? "" : here + " for it",
                there.isEmpty() ? "" : there + " for input " + other)
            .filter(text -> !text.isEmpty())
            .reduce((a, b) -> a + ", or " + b)
            .orElse("");
    return StatusException.invalidArgument(
        "input %d of op %s must be %s%s and is %s%s",
        index,
        op.name(),
        wanted.tfName(),
        isTied ? ", as input %d is,".formatted(other) : "",
        given.tfName(),
        both.isEmpty() ? "" : ": write " + both);
  }

  /** The error of a number in Java that has no place beside a tensor. */
  static StatusException number(double value, DataType beside) {
    String remedy = remedy(beside, DataType.FLOAT32);
    return StatusException.invalidArgument(
        "%s can't stand beside a tensor of %s%s",
        value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value),
        beside.tfName(),
        remedy.isEmpty() ? "" : ": write " + remedy + " for the tensor");
  }

  /** The call that makes a tensor of {@code wanted} of one of {@code given}; empty for none. */
  private static String remedy(DataType given, DataType wanted) {
    if (given == DataType.STRING) {
      return PARSED.contains(wanted) ? "Strings.toNumber(x, DataType." + wanted + ")" : "";
    }
    if (!isNumber(given)) {
      return "";
    }
    if (wanted == DataType.STRING) {
      return Expression.isScalar(given) ? "asString()" : "";
    }
    return isNumber(wanted) ? "cast(DataType." + wanted + ")" : "";
  }

  private static boolean isNumber(DataType type) {
    return Expression.isConvertible(type);
  }
}
