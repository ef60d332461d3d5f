package io.headrace.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.tensorflow.OpDef;
import io.headrace.proto.tensorflow.OpList;
import io.headrace.runtime.op.AttrKind;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Ops admit the common dtypes, and float8 and int4, wherever TensorFlow's CPU kernels do. The
 * family {@code kernels} of src/test/oracle/record.py records the dtypes of TensorFlow's kernels.
 */
final class OpDtypesTest {
  private static final Set<DataType> COMMON =
      EnumSet.of(
          DataType.FLOAT32,
          DataType.FLOAT64,
          DataType.INT32,
          DataType.INT64,
          DataType.BOOL,
          DataType.STRING,
          DataType.FLOAT8_E5M2,
          DataType.FLOAT8_E4M3FN,
          DataType.INT4,
          DataType.UINT4);

  private static final String NO_SHAPES =
      "float, double, string, bool, float8_e5m2, float8_e4m3fn, int4, uint4";

  /**
   * Dtypes that TensorFlow registers kernels for and ours do not admit, by op and attr: integer
   * gradients, for which it has no accumulator; shapes of non-integer dtypes, which its kernels
   * refuse at run time; and Round of integers, for which it returns zeros.
   */
  private static final Map<String, String> NOT_ADMITTED =
      Map.ofEntries(
          entry("AccumulatorApplyGradient.dtype", "int32, int64"),
          entry("AccumulatorTakeGradient.dtype", "int32, int64"),
          entry("ResourceAccumulatorApplyGradient.dtype", "int32, int64"),
          entry("ResourceAccumulatorTakeGradient.dtype", "int32, int64"),
          entry("Round.T", "int32, int64"),
          entry("SparseAccumulatorApplyGradient.dtype", "int32, int64"),
          entry("SparseAccumulatorTakeGradient.dtype", "int32, int64"),
          entry("StatefulStandardNormalV2.shape_dtype", NO_SHAPES),
          entry("StatefulTruncatedNormal.shape_dtype", NO_SHAPES),
          entry("StatefulUniform.shape_dtype", NO_SHAPES),
          entry("StatefulUniformFullInt.shape_dtype", NO_SHAPES),
          entry("StatefulUniformInt.shape_dtype", NO_SHAPES));

  @Test
  void ops_takeTheUsualDtypesThatTensorFlowTakes() throws IOException {
    Map<String, Map<String, Set<Integer>>> admitted = kernels();
    Map<String, OpDef> stock = ops();
    Map<String, String> missing = new TreeMap<>();
    for (Op op : OpRegistry.standard().ops()) {
      Map<String, Set<Integer>> attrs = admitted.get(op.name());
      if (attrs == null) {
        continue;
      }
      for (OpDef.AttrDef attr : Objects.requireNonNull(stock.get(op.name())).getAttrList()) {
        AttrSpec ours = Objects.requireNonNull(op.attr(attr.getName()));
        if (ours.elementKind() == AttrKind.TYPE) {
          Set<DataType> left = common(attr, attrs.get(attr.getName()));
          left.removeAll(ours.types());
          if (!left.isEmpty()) {
            missing.put(op.name() + "." + attr.getName(), names(left));
          }
        }
      }
    }

    assertThat(missing).isEqualTo(new TreeMap<>(NOT_ADMITTED));
  }

  /** The common dtypes that both the declaration of {@code attr} and some kernel admit. */
  private static Set<DataType> common(OpDef.AttrDef attr, @Nullable Set<Integer> ofKernels) {
    Set<DataType> result = EnumSet.copyOf(COMMON);
    if (attr.hasAllowedValues()) {
      Set<Integer> declared = Set.copyOf(attr.getAllowedValues().getList().getTypeValueList());
      result.removeIf(type -> !declared.contains(type.number()));
    }
    if (ofKernels != null) {
      result.removeIf(type -> !ofKernels.contains(type.number()));
    }
    return result;
  }

  private static String names(Set<DataType> types) {
    return types.stream().map(DataType::tfName).collect(Collectors.joining(", "));
  }

  /** The dtypes that kernels admit, by op and attr; an attr that admits any dtype is absent. */
  private static Map<String, Map<String, Set<Integer>>> kernels() throws IOException {
    Map<String, Map<String, Set<Integer>>> kernels = new HashMap<>();
    try (InputStream in = open("kernels.txt.gz")) {
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n", -1)) {
        String[] words = line.split(" ", -1);
        Map<String, Set<Integer>> attrs = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
          String[] sides = words[i].split("=", -1);
          attrs.put(
              sides[0],
              Stream.of(sides[1].split(",", -1)).map(Integer::valueOf).collect(Collectors.toSet()));
        }
        kernels.put(words[0], attrs);
      }
    }
    return kernels;
  }

  private static Map<String, OpDef> ops() throws IOException {
    try (InputStream in = open("ops.pb.gz")) {
      return OpList.parseFrom(in).getOpList().stream()
          .collect(Collectors.toMap(OpDef::getName, op -> op));
    }
  }

  private static InputStream open(String resource) throws IOException {
    InputStream in = OpDtypesTest.class.getResourceAsStream("oracle/" + resource);
    return new GZIPInputStream(Objects.requireNonNull(in));
  }
}
