package io.headrace.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.proto.tensorflow.OpList;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.AttrKind;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The declaration of every op equals TensorFlow's, except that ours may admit fewer dtypes. */
final class OpDeclarationTest {
  private static final Map<String, OpDef> STOCK = stock();

  /**
   * Ops that are stateful in TensorFlow but not here: StatelessRandomGetAlg, whose result depends
   * on the device in TensorFlow, and calls of functions, which here are stateful if their functions
   * are.
   */
  private static final Set<String> NOT_STATEFUL_HERE =
      Set.of("StatelessRandomGetAlg", "If", "Case", "While", "StatefulPartitionedCall");

  private static Map<String, OpDef> stock() {
    var resource = OpDeclarationTest.class.getResourceAsStream("oracle/ops.pb.gz");
    try (GZIPInputStream in = new GZIPInputStream(Objects.requireNonNull(resource))) {
      return OpList.parseFrom(in).getOpList().stream()
          .collect(Collectors.toMap(OpDef::getName, op -> op));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static Collection<Op> ops() {
    return OpRegistry.standard().ops();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ops")
  void declaration_ofEveryOp_isTensorFlows(Op op) {
    OpDef stock = STOCK.get(op.name());
    assertThat(stock).as("TensorFlow's op %s", op.name()).isNotNull();
    assertThat(args(op.inputs())).isEqualTo(args(stock, stock.getInputArgList()));
    assertThat(args(op.outputs())).isEqualTo(args(stock, stock.getOutputArgList()));
    assertThat(op.isStateful())
        .as("stateful")
        .isEqualTo(stock.getIsStateful() && !NOT_STATEFUL_HERE.contains(op.name()));
    assertThat(attrs(op)).isEqualTo(attrs(stock));
    for (OpDef.AttrDef attr : stock.getAttrList()) {
      checkTypes(Objects.requireNonNull(op.attr(attr.getName())), attr);
    }
  }

  private static void checkTypes(AttrSpec ours, OpDef.AttrDef stock) {
    if (ours.elementKind() != AttrKind.TYPE || !stock.hasAllowedValues()) {
      return;
    }
    Set<Integer> admitted = Set.copyOf(stock.getAllowedValues().getList().getTypeValueList());
    assertThat(ours.types().stream().filter(t -> !admitted.contains(t.number())))
        .as("dtypes of %s that TensorFlow does not admit", ours.name())
        .isEmpty();
  }

  private static List<String> args(List<ArgSpec> args) {
    return args.stream()
        .map(a -> a.name() + ":" + a.numberAttr() + "*" + type(a) + a.isTypeList())
        .toList();
  }

  private static String type(ArgSpec arg) {
    return arg.type().map(DataType::tfName).orElse(arg.typeAttr());
  }

  private static List<String> args(OpDef op, List<OpDef.ArgDef> args) {
    return args.stream()
        .map(a ->
            a.getName()
                + ":"
                + a.getNumberAttr()
                + "*"
                + type(op, a)
                + !a.getTypeListAttr().isEmpty())
        .toList();
  }

  private static String type(OpDef op, OpDef.ArgDef arg) {
    assertThat(op.getName()).isNotEmpty();
    if (arg.getTypeValue() != 0) {
      return DataType.ofNumber(arg.getTypeValue()).tfName();
    }
    return arg.getTypeAttr() + arg.getTypeListAttr();
  }

  private static Map<String, String> attrs(Op op) {
    Map<String, String> result = new TreeMap<>();
    op.attrs().forEach((name, spec) -> result.put(name, kind(spec) + defaultOf(spec)));
    return result;
  }

  private static String kind(AttrSpec spec) {
    return spec.kind() == AttrKind.LIST
        ? "list(" + spec.elementKind().spelling() + ")"
        : spec.kind().spelling();
  }

  private static String defaultOf(AttrSpec spec) {
    return spec.defaultValue().map(OpDeclarationTest::text).orElse("");
  }

  private static Map<String, String> attrs(OpDef op) {
    Map<String, String> result = new TreeMap<>();
    for (OpDef.AttrDef attr : op.getAttrList()) {
      String defaultValue = attr.hasDefaultValue() ? text(attr.getDefaultValue()) : "";
      result.put(attr.getName(), attr.getType() + defaultValue);
    }
    return result;
  }

  private static String text(AttrValue value) {
    return " = " + value.toString().replaceAll("\\s+", " ").trim();
  }
}
