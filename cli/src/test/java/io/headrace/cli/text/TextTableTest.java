package io.headrace.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TextTableTest {
  @Test
  void columns_standUnderOneAnother_numbersToTheRight() {
    TextTable table = new TextTable(List.of("NAME", "SIZE"), Set.of(1), Set.of());
    table.add("a", "1");
    table.add("a longer one", "10000");

    assertThat(table.lines())
        .containsExactly("NAME           SIZE", "a                 1", "a longer one  10000");
  }

  @Test
  void tooLongLines_cutTheColumnsThatMayBe() {
    TextTable table = new TextTable(List.of("NAME", "REST"), Set.of(), Set.of(0));
    table.add("n".repeat(80), "r".repeat(40));

    assertThat(table.lines().get(1))
        .isEqualTo("n".repeat(57) + "~" + "  " + "r".repeat(40))
        .hasSize(TextTable.MAX_WIDTH);
  }

  @Test
  void tooLongLines_withNothingToCut_endAtTheWidth() {
    TextTable table = new TextTable(List.of("REST"), Set.of(), Set.of());
    table.add("r".repeat(140));

    assertThat(table.lines().get(1)).hasSize(TextTable.MAX_WIDTH).endsWith("~");
  }
}
