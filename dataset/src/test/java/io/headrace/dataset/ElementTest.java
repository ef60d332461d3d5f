package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Elements as text, and the parts that they have. */
final class ElementTest {
  private static final Dataset MAPS =
      Dataset.range(1).map(x -> Map.of("id", x, "pair", List.of(x, x.cast(DataType.FLOAT32))));

  private static String text(Dataset dataset) {
    try (ElementIterator elements = dataset.iterator()) {
      return elements.next().toString();
    }
  }

  @Test
  void toString_showsValuesAsTheyAreNested() {
    assertThat(text(Dataset.range(3).batch(3))).isEqualTo("int64[3] [0 1 2]");
    assertThat(text(MAPS)).isEqualTo("{id: int64[] 0, pair: (int64[] 0, float[] 0.0)}");
    assertThat(text(Dataset.range(3).window(Window.of(2)))).isEqualTo("Dataset<int64[]>");
  }

  @Test
  void tensor_ofSeveralComponents_saysHowToTakeOne() {
    try (ElementIterator elements = MAPS.iterator()) {
      Element element = elements.next();

      assertThatThrownBy(element::tensor)
          .isInstanceOf(StatusException.class)
          .hasMessage(
              "the element has 3 components, not one: {id: int64[], pair: (int64[], float[])};"
                  + " get(\"id\") takes a part");
    }
  }

  @Test
  void map_ofSeveralComponents_namesMapElement() {
    assertThatThrownBy(() -> MAPS.map(x -> x))
        .isInstanceOf(StatusException.class)
        .hasMessageContainingAll("not one: {id: int64[]", "mapElement", "get(\"id\")");
  }
}
