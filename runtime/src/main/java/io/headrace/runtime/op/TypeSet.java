package io.headrace.runtime.op;

import static io.headrace.runtime.tensor.DataType.BFLOAT16;
import static io.headrace.runtime.tensor.DataType.BOOL;
import static io.headrace.runtime.tensor.DataType.COMPLEX128;
import static io.headrace.runtime.tensor.DataType.COMPLEX64;
import static io.headrace.runtime.tensor.DataType.FLOAT16;
import static io.headrace.runtime.tensor.DataType.FLOAT32;
import static io.headrace.runtime.tensor.DataType.FLOAT64;
import static io.headrace.runtime.tensor.DataType.INT16;
import static io.headrace.runtime.tensor.DataType.INT32;
import static io.headrace.runtime.tensor.DataType.INT64;
import static io.headrace.runtime.tensor.DataType.INT8;
import static io.headrace.runtime.tensor.DataType.UINT16;
import static io.headrace.runtime.tensor.DataType.UINT32;
import static io.headrace.runtime.tensor.DataType.UINT64;
import static io.headrace.runtime.tensor.DataType.UINT8;

import io.headrace.runtime.tensor.DataType;
import java.util.EnumSet;
import java.util.Set;

/** The sets of dtypes that a {@code type} attr allows, under the names that op declarations use. */
final class TypeSet {
  private static final Set<DataType> FLOATING = Set.of(FLOAT16, BFLOAT16, FLOAT32, FLOAT64);
  private static final Set<DataType> INTEGER =
      Set.of(INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64);
  private static final Set<DataType> COMPLEX = Set.of(COMPLEX64, COMPLEX128);

  private TypeSet() {}

  /** {@code type}, {@code number}, {@code real}, ..., or {@code {float, int32}}. */
  static Set<DataType> parse(String spelling) {
    if (!spelling.startsWith("{")) {
      return named(spelling);
    }
    EnumSet<DataType> result = EnumSet.noneOf(DataType.class);
    for (String name : spelling.substring(1, spelling.length() - 1).split(",", -1)) {
      String trimmed = name.trim();
      if (DataType.isName(trimmed)) {
        result.add(DataType.ofName(trimmed));
      } else {
        result.addAll(named(trimmed));
      }
    }
    return result;
  }

  static boolean isName(String spelling) {
    return switch (spelling) {
      case "type", "floating", "integer", "complex", "real", "number", "fixedwidth", "bool" -> true;
      default -> spelling.startsWith("{");
    };
  }

  private static Set<DataType> named(String name) {
    return switch (name) {
      case "type" -> EnumSet.allOf(DataType.class);
      case "floating" -> FLOATING;
      case "integer" -> INTEGER;
      case "complex" -> COMPLEX;
      case "real" -> union(FLOATING, INTEGER);
      case "number" -> union(union(FLOATING, INTEGER), COMPLEX);
      case "fixedwidth" -> union(union(FLOATING, INTEGER), union(COMPLEX, Set.of(BOOL)));
      default -> throw new IllegalArgumentException("no set of dtypes is called " + name);
    };
  }

  private static Set<DataType> union(Set<DataType> a, Set<DataType> b) {
    EnumSet<DataType> result = EnumSet.copyOf(a);
    result.addAll(b);
    return result;
  }
}
