package io.headrace.cli;

import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.AttrKind;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Markdown page of supported ops: a table row for each declaration. */
final class OpsPage {
  /** Named sets of dtypes, the larger first. */
  private static final Map<String, Set<DataType>> SETS = new LinkedHashMap<>();

  static {
    Set<DataType> floats =
        EnumSet.of(DataType.BFLOAT16, DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64);
    Set<DataType> integers =
        EnumSet.of(
            DataType.INT8,
            DataType.INT16,
            DataType.INT32,
            DataType.INT64,
            DataType.UINT8,
            DataType.UINT16,
            DataType.UINT32,
            DataType.UINT64);
    Set<DataType> complex = EnumSet.of(DataType.COMPLEX64, DataType.COMPLEX128);
    SETS.put("any", EnumSet.allOf(DataType.class));
    SETS.put("numbers", union(List.of(floats, integers, complex)));
    SETS.put("reals", union(List.of(floats, integers)));
    SETS.put("integers", integers);
    SETS.put("floats", floats);
    SETS.put("complex", complex);
  }

  private OpsPage() {}

  private static Set<DataType> union(List<Set<DataType>> sets) {
    return sets.stream()
        .flatMap(Set::stream)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(DataType.class)));
  }

  static String of(Collection<Op> ops) {
    StringBuilder page =
        new StringBuilder(
            """
            # Ops

            The %d ops of TensorFlow 2.21 that Headrace runs itself. Names, arguments, attrs and their defaults are
            TensorFlow's; a graph with any other op is refused, UNIMPLEMENTED, by the names of op and node. A row says
            what the kernel takes and, in its last column, what differs from stock TensorFlow; where that is empty
            nothing is known to, but what the bounds below leave, and that files are those of the local file system.

            How far floating-point results may be off, as the tests hold them to it:
            - What moves, picks, compares or converts elements, and `+`, `-`, `*`, `/`, square roots and rounding: as
              TensorFlow's bit for bit, but that a NaN may be another NaN. So are integers, and draws of uniform
              numbers; normal ones are within 4 units in the last place of TensorFlow's.
            - Sums and products of matrices (reductions, scans, segments, MatMul, Einsum, convolutions, pools, and
              their gradients) of k terms each: within eps * (k + 1) * (the sum of the terms' absolute values) of
              the exact value. eps is 2^-23 for float and 2^-52 for double. Half and bfloat16 are added up as float
              and then rounded, which takes up to 2^-11 and 2^-8 of the result; in scans and segments they are
              rounded after each term, so that these are their eps.
            - Exponential and trigonometric functions, logarithms, powers, Erf and Sigmoid: within 4 units in the
              last place of TensorFlow's, or for float 1e-7. Other functions, softmaxes and cross entropies, their
              gradients, and optimizers' updates: within 8 units, or for float 2e-6; Erfc of double 12 units. Of half
              and bfloat16 TensorFlow's are often the less exact: it goes on with half what is float or double here.
            - Decompositions, inverses and solutions of matrices and Fourier transforms, of elements about 1: within
              2e-5 of TensorFlow's for float and 1e-13 for double; eigenvalues and singular values ten times that.

            Sets of dtypes:
            %s
            Written by `./headrace ops > docs/ops.md` from the declarations. A test fails when this page is stale.

            | op | inputs | outputs | dtypes | what differs |
            |---|---|---|---|---|
            """
                .formatted(ops.size(), legend()));
    ops.forEach(op -> page.append(row(op)));
    return page.toString();
  }

  private static String legend() {
    return SETS.entrySet().stream()
        .filter(set -> !set.getKey().equals("any"))
        .map(set -> "- *" + set.getKey() + "*: " + names(set.getValue()) + "\n")
        .collect(Collectors.joining());
  }

  private static String row(Op op) {
    return Stream.of(
            op.name(), arguments(op.inputs()), arguments(op.outputs()), dtypes(op), op.remark())
        .map(cell -> cell.isEmpty() ? " " : " " + cell.replace("|", "\\|") + " ")
        .collect(Collectors.joining("|", "|", "|\n"));
  }

  private static String arguments(List<ArgSpec> arguments) {
    return arguments.stream().map(OpsPage::argument).collect(Collectors.joining(", "));
  }

  private static String argument(ArgSpec argument) {
    String type = argument.type().map(DataType::tfName).orElse(argument.typeAttr());
    String number = argument.numberAttr().isEmpty() ? "" : argument.numberAttr() + " * ";
    return argument.name() + ": " + number + (argument.isTypeList() ? "[" + type + "]" : type);
  }

  /** The attrs of type dtype, each with its allowed values. */
  private static String dtypes(Op op) {
    return new TreeMap<>(op.attrs())
        .values().stream()
            .filter(attr -> attr.elementKind() == AttrKind.TYPE)
            .map(OpsPage::dtypes)
            .collect(Collectors.joining("; "));
  }

  private static String dtypes(AttrSpec attr) {
    Set<DataType> left = EnumSet.copyOf(attr.types());
    List<String> words = new ArrayList<>();
    SETS.forEach((name, set) -> {
      if (left.containsAll(set)) {
        words.add(name);
        left.removeAll(set);
      }
    });
    if (!left.isEmpty()) {
      words.add(names(left));
    }
    return attr.name() + ": " + String.join(", ", words);
  }

  private static String names(Set<DataType> types) {
    return EnumSet.copyOf(types).stream().map(DataType::tfName).collect(Collectors.joining(", "));
  }
}
