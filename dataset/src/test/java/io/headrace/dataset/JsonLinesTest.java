package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonLinesTest {
  @TempDir private Path folder;

  private String written(String text) {
    try {
      return Files.writeString(folder.resolve("lines.jsonl"), text).toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The value of {@code field} in the record {@code line}. */
  private Tensor read(Field field, String line) {
    return Dataset.jsonLines(List.of(field), written(line + "\n"))
        .iterator()
        .next()
        .get(field.name())
        .tensor();
  }

  private void refused(Field field, String line, String message) {
    assertThatThrownBy(() -> read(field, line))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(message)
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @Test
  void jsonLines_ofTypedFields_areMapsByTheirNames() {
    Dataset rows =
        Dataset.jsonLines(
            List.of(
                Field.string("name").at("user.name"),
                Field.int64("id"),
                Field.float32("scores").list(),
                Field.bool("ok").orElse(true)),
            written(
                """
                {"id": 7, "user": {"name": "\\u00e9\\n", "age": 3}, "scores": [0.5, 1], "ok": false}
                {"other": [{}, {"id": 9}], "scores": [], "user": {"name": ""}, "id": -2}
                """));

    assertThat(rows.structure())
        .hasToString("{id: int64[], name: string[], ok: bool[], scores: float[?]}");
    assertThat(rows.stream().map(Element::components).map(Object::toString))
        .containsExactly(
            List.of(
                    Tensor.scalar(7L),
                    Tensor.scalar("\u00e9\n"),
                    Tensor.scalar(false),
                    Tensor.vector(0.5f, 1))
                .toString(),
            List.of(
                    Tensor.scalar(-2L),
                    Tensor.scalar(""),
                    Tensor.scalar(true),
                    Tensor.vector(new float[0]))
                .toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "9223372036854775807|9223372036854775807",
        "-9223372036854775808|-9223372036854775808",
        "2.0|2",
        "1e3|1000",
        "0|0"
      })
  void int64_ofAWholeNumber_isThatNumber(String number, long value) {
    assertThat(read(Field.int64("x"), "{\"x\": " + number + "}").integer(0)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"9223372036854775808", "0.5", "1e19", "1e999999999", "-1e400"})
  void int64_ofAnotherNumber_isInvalidArgument(String number) {
    refused(Field.int64("x"), "{\"x\": " + number + "}", "field x must be a number of int64");
  }

  @Test
  void field_ofAnotherType_isInvalidArgumentNamingFieldAndValue() {
    refused(
        Field.int32("x"), "{\"x\": \"7\"}", "field x must be a number, and is the string \"7\"");
    refused(Field.string("x"), "{\"x\": 7}", "field x must be a string, and is 7");
    refused(Field.bool("x"), "{\"x\": 1}", "field x must be true or false, and is 1");
    refused(Field.float32("x").list(), "{\"x\": 1}", "field x must be an array, and is 1");
    refused(
        Field.float32("x").list(), "{\"x\": [1, null]}", "field x must be a number, and is null");
    refused(Field.float64("y").at("a.b"), "{\"a\": {\"b\": []}}", "field a.b must be a number");
  }

  @Test
  void field_thatIsMissingOrNull_isItsDefaultOrInvalidArgument() {
    Field optional = Field.int32("x").at("a.b").orElse(-1);

    assertThat(read(optional, "{}").ints()).containsExactly(-1);
    assertThat(read(optional, "{\"a\": null}").ints()).containsExactly(-1);
    assertThat(read(optional, "{\"a\": {\"b\": null}}").ints()).containsExactly(-1);
    refused(Field.int32("x"), "{\"y\": 1}", "the JSON record has no field x: {\"y\": 1}");
    refused(Field.int32("x"), "{\"x\": null}", "the JSON record has no field x");
  }

  @Test
  void field_withADotInItsName_isFoundByItsWholeName() {
    assertThat(read(Field.int32("a.b"), "{\"a.b\": 1, \"a\": {\"b\": 2}}").ints())
        .containsExactly(1);
    assertThat(read(Field.int32("c").at("a.b"), "{\"a.b\": 1, \"a\": {\"b\": 2}}").ints())
        .containsExactly(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{'x': 1}", "{\"x\": 1", "[1]", "{\"x\": 1} 2", "{\"x\": NaN}", "{\"x\": 01}", ""})
  void record_thatIsNoJsonObject_isInvalidArgument(String record) {
    refused(Field.int32("x"), record, "JSON");
  }

  @Test
  void pass_goesOnBehindAMalformedRecord() {
    Dataset rows =
        Dataset.jsonLines(List.of(Field.int32("x")), written("{\"x\": 1}\n{\n{\"x\": 3}\n"));

    assertThat(rows.ignoreErrors(false).stream().map(e -> e.get("x").tensor().integer(0)))
        .containsExactly(1L, 3L);
  }

  @Test
  void fields_thatContradict_areRefusedWhenTheDatasetIsRead() {
    Dataset rows =
        Dataset.jsonLines(
            List.of(Field.int32("a").at("x"), Field.int32("b").at("x.y")), written("{}\n"));

    assertThatThrownBy(() -> rows.iterator().next())
        .hasMessageContaining("the field x.y is within the field x");
  }
}
