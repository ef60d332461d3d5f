package io.headrace.cli;

import io.headrace.runtime.execute.AcceleratedNodes;
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

  /** The prefix of the names of Headrace's own ops. */
  private static final String OWN = "Headrace";

  static String of(Collection<Op> all) {
    List<Op> ops = all.stream().filter(op -> !op.name().startsWith(OWN)).toList();
    List<Op> own = all.stream().filter(op -> op.name().startsWith(OWN)).toList();
    StringBuilder page =
        new StringBuilder(
            """
            # Ops

            The %d ops of TensorFlow 2.21 that Headrace implements. Names, arguments, attrs and their defaults are TensorFlow's; a
            graph with any other op ([absent ops](#absent-ops)) is refused with UNIMPLEMENTED, naming op and node. A row lists the
            kernel's inputs, outputs and dtypes and, in its last column, the differences from stock TensorFlow; if that is empty,
            there is no known difference, apart from the bounds below. Files are local or, with the module `headrace-gcs`, in gs://.

            Bounds of floating-point results, as the tests check them:
            - Ops that move, select, compare or convert elements, and `+`, `-`, `*`, `/`, square roots and rounding: equal to
              TensorFlow's bit for bit, except that a NaN may be another NaN. Integers and uniform random numbers are equal, too;
              normal random numbers are within 4 units in the last place of TensorFlow's.
            - Sums and matrix products (reductions, scans, segments, MatMul, Einsum, convolutions, pools, and their gradients) of k
              terms each: within eps * (k + 1) * (the sum of the terms' absolute values) of the exact value, where eps is 2^-23 for
              float and 2^-52 for double. Half and bfloat16 are accumulated in float and then rounded, which adds up to 2^-11 and
              2^-8 of the result; in scans and segments they are rounded after each term, so that these are their eps.
            - Exponential and trigonometric functions, logarithms, powers, Erf and Sigmoid: within 4 units in the last place of
              TensorFlow's, or 1e-7 for float; powers of double, whose last digits TensorFlow loses in vectors of numbers, within
              16 + |y| / 2 units for an exponent y. Erf of a double whose square is infinite is 1 or -1, where TensorFlow's is NaN.
              Other functions, softmaxes and cross entropies, their gradients, and optimizers' updates: within 8 units, or 2e-6 for
              float; Erfc of double within 12 units, Elu and Selu of double within 5e-16. For half and bfloat16 TensorFlow's results
              are often less exact: its intermediate results are half where Headrace's are float or double.
            - Bessel functions, Dawsn, Erfinv, Expint, FresnelCos, FresnelSin, Ndtri and Spence: within 8 units in the last place, or
              2e-15, for double, within 16 units, or 2e-6, for float. Igamma, Igammac, IgammaGradA, Betainc, Zeta and Polygamma, which
              exponentiate differences of logarithms: within 2048 units, or 1e-13, for double, within 64 units, or 3e-5, for float.
            - Complex numbers: bounds in units in the last place are of a part in units of the number's magnitude. Functions are
              computed in double precision, within 8 units of TensorFlow's, Log1p and Expm1 within 16, powers within 32 + 4 |y| for
              an exponent y. Sigmoid loses digits near its poles, on both sides. Quotients are those that TensorFlow computes in
              vectors of numbers; of the last few numbers of a tensor, its own are up to 2 units off. A product or quotient with an
              infinite number, and Log1p and Expm1 of one, may be NaN on one side only.
            - Matrix decompositions, inverses and solutions, and Fourier transforms, of elements of magnitude 1: within 2e-5 of
              TensorFlow's for float and 1e-13 for double; eigenvalues and singular values within ten times that.
            - Subnormal numbers, which TensorFlow flushes to zero in some kernels, may be zero on one side, and so what follows from
              them: the floor of a quotient (FloorDiv), or NaN at the ends of BesselK1, Expint and Spence. A sum with an infinite
              term, a resized image, a transform or an update with an infinite number may be NaN on one side: TensorFlow multiplies
              infinities with weights and padding of zero. A product that overflows in another order may be NaN on one side, too.
              Results of double at extreme arguments are within 16 units.
            - Where TensorFlow's answer depends on an element's place in its tensor, Headrace's is one of those: the sign of a zero
              (Max, Min, Maximum, Minimum, Relu, Relu6), which way a comparison with NaN goes (MaxPool3D, NonMaxSuppression,
              NthElement, QuantizeAndDequantizeV3, RGBToHSV), and a float outside the range of the integers that it is cast to, as
              the hue of a pixel that is not finite.
            - What TensorFlow leaves unset is set: the saved moments of a FusedBatchNorm that does not train are those given.

            Errors:
            - Inputs that do not fit together, which some of TensorFlow's kernels read past or leave undefined (AvgPool and AvgPool3D
              with their gradients, RaggedBincount, RaggedGather, SparseAdd, SparseCross, SparseToSparseSetOperation), are
              INVALID_ARGUMENT. Input that TensorFlow refuses as INTERNAL or UNIMPLEMENTED may be INVALID_ARGUMENT (SparseConcat,
              DepthwiseConv2dNativeBackpropFilter, integer divisions by zero). Of strides and dilations
              that convolutions do not support, TensorFlow's code depends on the CPU; Headrace's is UNIMPLEMENTED, and
              INVALID_ARGUMENT for gradients.

            GPU says where nodes that are pinned to a GPU run ([pins](pins.md), [sessions](sessions.md#gpus)):
            - *kernel*: on the GPU, if all their inputs and outputs are real numbers or bools;
            - *host*: on the host, since they make, keep or pass on tensors, which stay in the GPU's memory, read
              shapes, call functions, or work on resources or variants;
            - an empty column: nowhere in a session, unless placement is soft, and on the CPU in map functions.

            Sets of dtypes:
            %s
            Generated by `./headrace ops > docs/ops.md` from the declarations. A test fails when this page is stale.

            | op | inputs | outputs | dtypes | GPU | differences |
            |---|---|---|---|---|---|
            """
                .formatted(ops.size(), legend()));
    ops.forEach(op -> page.append(row(op)));
    return page.append(ownOps(own)).append(AbsentOps.section()).toString();
  }

  private static String ownOps(List<Op> own) {
    return own.stream()
        .map(OpsPage::row)
        .collect(
            Collectors.joining(
                "",
                """

                ## Ops of Headrace's own

                The Java API writes them where TensorFlow has no op for what a method does. TensorFlow's workers refuse graphs with them, as do
                its dispatchers where they have to run them, for dynamic sharding.

                | op | inputs | outputs | dtypes | GPU | what it is |
                |---|---|---|---|---|---|
                """,
                ""));
  }

  private static String legend() {
    return SETS.entrySet().stream()
        .filter(set -> !set.getKey().equals("any"))
        .map(set -> "- *" + set.getKey() + "*: " + names(set.getValue()) + "\n")
        .collect(Collectors.joining());
  }

  private static String row(Op op) {
    return Stream.of(
            op.name(),
            arguments(op.inputs()),
            arguments(op.outputs()),
            dtypes(op),
            gpu(op),
            op.remark())
        .map(cell -> cell.isEmpty() ? " " : " " + cell.replace("|", "\\|") + " ")
        .collect(Collectors.joining("|", "|", "|\n"));
  }

  private static String gpu(Op op) {
    return switch (AcceleratedNodes.support(op)) {
      case NONE -> "";
      case CARRIED -> "host";
      case COMPUTED -> "kernel";
    };
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
