package io.headrace.runtime.op;

import io.headrace.runtime.tensor.DataType;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One input or output of an op: a tensor, {@code N} tensors of one dtype ({@code values: N * T}),
 * or a tensor for each dtype of a list ({@code components: [Tout]}).
 *
 * <p>{@code ref: Ref(T)} is a reference to a variable of dtype {@code T}: the kernel's input or
 * output is the variable's handle. Where a reference flows into an argument that is not a
 * reference, the executor reads the variable when the consumer runs.
 *
 * @param name the argument's name; function bodies refer to outputs by it
 * @param type the dtype, where the declaration fixes it
 * @param typeAttr the attr that holds the dtype, or the list of dtypes; empty where it is fixed
 * @param numberAttr the attr with the number of tensors; empty for one tensor or a type list
 * @param isTypeList whether the argument is one tensor per dtype of the attr
 * @param isRef whether the argument is a reference to a variable
 */
public record ArgSpec(
    String name,
    Optional<DataType> type,
    String typeAttr,
    String numberAttr,
    boolean isTypeList,
    boolean isRef) {
  private static final Pattern SYNTAX =
      Pattern.compile("(\\w+):\\s*(?:(\\w+)\\s*\\*\\s*)?(Ref\\()?(\\[?)(\\w+)(]?)\\)?");

  static ArgSpec parse(String spec) {
    Matcher m = SYNTAX.matcher(spec.trim());
    if (!m.matches()) {
      throw new IllegalArgumentException("not an argument: " + spec);
    }
    String type = m.group(5);
    boolean fixed = DataType.isName(type);
    return new ArgSpec(
        m.group(1),
        fixed ? Optional.of(DataType.ofName(type)) : Optional.empty(),
        fixed ? "" : type,
        m.group(2) == null ? "" : m.group(2),
        !m.group(4).isEmpty(),
        m.group(3) != null);
  }

  /** The number of tensors of this argument at a node with {@code attrs}. */
  public int count(Attrs attrs) {
    if (isTypeList) {
      return attrs.types(typeAttr).size();
    }
    return numberAttr.isEmpty() ? 1 : attrs.count(numberAttr);
  }

  /** The dtype of tensor {@code index} of this argument at a node with {@code attrs}. */
  public DataType typeAt(Attrs attrs, int index) {
    if (type.isPresent()) {
      return type.get();
    }
    return isTypeList ? attrs.types(typeAttr).get(index) : attrs.type(typeAttr);
  }
}
