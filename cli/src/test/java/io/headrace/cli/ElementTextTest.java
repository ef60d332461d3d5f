package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Element;
import io.headrace.dataset.Structure;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ElementTextTest {
  private static final Structure NUMBER = new Structure.Component(DataType.INT64, Shape.SCALAR);

  private final ElementText text = new ElementText(4);

  @Test
  void scalar_isItsValue() {
    assertThat(text.of(Tensor.scalar(42L))).isEqualTo("42");
    assertThat(text.of(Tensor.scalar(1.5f))).isEqualTo("1.5");
    assertThat(text.of(Tensor.scalar(true))).isEqualTo("true");
  }

  @Test
  void unsigned_isNotNegative() {
    assertThat(text.of(Tensor.wrap(DataType.UINT8, Shape.of(1), new byte[] {-1})))
        .isEqualTo("[255]");
    assertThat(text.of(Tensor.wrap(DataType.UINT64, Shape.of(1), new long[] {-1})))
        .isEqualTo("[18446744073709551615]");
  }

  @Test
  void halves_areTheirValues() {
    assertThat(text.of(Tensor.wrap(DataType.FLOAT16, Shape.of(1), new short[] {0x3e00})))
        .isEqualTo("[1.5]");
    assertThat(text.of(Tensor.wrap(DataType.BFLOAT16, Shape.of(1), new short[] {0x3fc0})))
        .isEqualTo("[1.5]");
  }

  @Test
  void matrix_isNested() {
    assertThat(text.of(Tensor.vector(1, 2, 3, 4).reshape(Shape.of(2, 2))))
        .isEqualTo("[[1, 2], [3, 4]]");
  }

  @Test
  void largeTensor_isCut_andSaysWhatItIs() {
    assertThat(text.of(Tensor.vector(1, 2, 3, 4, 5, 6).reshape(Shape.of(2, 3))))
        .isEqualTo("[[1, 2, 3], [4, ...]] int32[2,3]");
  }

  @Test
  void largeTensor_withoutBound_isWhole() {
    assertThat(new ElementText(-1).of(Tensor.vector(1, 2, 3, 4, 5))).isEqualTo("[1, 2, 3, 4, 5]");
  }

  @Test
  void emptyTensor_isEmpty() {
    assertThat(text.of(Tensor.wrap(DataType.INT32, Shape.of(0, 3), new int[0]))).isEqualTo("[]");
  }

  @Test
  void string_isQuoted_andStaysOneLine() {
    assertThat(text.of(Tensor.scalar("say \"hä\"\n"))).isEqualTo("\"say \\\"hä\\\"\\u000a\"");
  }

  @Test
  void bytesThatAreNoText_areHexadecimal() {
    assertThat(text.of(Tensor.scalar(new byte[] {'a', -1, 0}))).isEqualTo("\"a\\xff\\x00\"");
  }

  @Test
  void tuple_isInParentheses_mapInBraces() {
    Structure structure =
        new Structure.Tuple(List.of(NUMBER, new Structure.Dict(Map.of("a", NUMBER, "b", NUMBER))));
    Element element =
        new Element(structure, List.of(Tensor.scalar(1L), Tensor.scalar(2L), Tensor.scalar(3L)));

    assertThat(text.of(element)).isEqualTo("(1, {a: 2, b: 3})");
  }
}
