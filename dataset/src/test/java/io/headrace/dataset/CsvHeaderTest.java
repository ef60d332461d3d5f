package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CsvHeaderTest {
  private static final Csv ROWS = Csv.of(Field.int64("id"), Field.string("name")).withHeader();

  @TempDir private Path folder;

  private String written(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static List<Long> ids(Dataset rows) {
    return rows.stream().map(row -> row.get("id").asLong()).toList();
  }

  @Test
  void header_withTheNamesOfTheFields_isNoRecord() throws IOException {
    assertThat(ids(Dataset.csv(ROWS, written("a.csv", "id,\"name\"\n1,a\n2,b\n"))))
        .containsExactly(1L, 2L);
  }

  @Test
  void header_behindAByteOrderMark_isTheSame() throws IOException {
    assertThat(ids(Dataset.csv(ROWS, written("a.csv", "\uFEFFid,name\r\n1,a\r\n"))))
        .containsExactly(1L);
  }

  @Test
  void header_withOtherNames_isAnErrorThatNamesBoth() throws IOException {
    String file = written("a.csv", "name,id\n1,a\n");

    assertThatThrownBy(() -> ids(Dataset.csv(ROWS, file)))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(
            file + ": its header has the columns name, id, and the fields are id, name")
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @Test
  void header_withAnotherNumberOfColumns_isAnError() throws IOException {
    String more = written("more.csv", "id,name,price\n1,a,2\n");
    String fewer = written("fewer.csv", "id\n1\n");

    assertThatThrownBy(() -> ids(Dataset.csv(ROWS, more)))
        .hasMessageContaining("id, name, price, and the fields are id, name")
        .hasMessageContaining("Field.at(int): id at(0), name at(1)");
    assertThatThrownBy(() -> ids(Dataset.csv(ROWS, fewer)))
        .hasMessageContaining("the columns id, and the fields are id, name: leave out the fields");
  }

  @Test
  void header_ofSelectedColumns_isComparedInThoseOnly() throws IOException {
    String file = written("a.csv", "x,id,y,name\n0,1,0,a\n");
    Csv selected = Csv.of(Field.int64("id").at(1), Field.string("name").at(3)).withHeader();
    Csv wrong = Csv.of(Field.int64("id").at(1), Field.string("name").at(2)).withHeader();

    assertThat(ids(Dataset.csv(selected, file))).containsExactly(1L);
    assertThatThrownBy(() -> ids(Dataset.csv(wrong, file)))
        .hasMessageContaining("the columns id, y, and the fields are id, name");
  }

  @Test
  void recordWithMoreColumnsThanFields_isAnErrorThatSaysHowToReadSomeOfThem() throws IOException {
    Csv skipped = Csv.of(Field.int64("id"), Field.string("name")).skippingHeader();
    String file = written("a.csv", "id,name,price\n1,a,2\n");

    assertThatThrownBy(() -> ids(Dataset.csv(skipped, file)))
        .hasMessageContaining(
            "Expect 2 fields but have more in record; select_cols, or Field.at(int)");
  }

  @Test
  void headerThatIsReadAsARecord_isAnErrorThatSaysHowToTakeItAsOne() throws IOException {
    Csv none = Csv.of(Field.int64("id"), Field.string("name"));
    String file = written("a.csv", "\uFEFFid,name\n1,a\nx,b\n");

    assertThatThrownBy(() -> ids(Dataset.csv(none, file)))
        .hasMessageContaining(
            "if the file begins with the names of its columns, say so: Csv.withHeader()");
    assertThatThrownBy(() -> ids(Dataset.csv(none.skippingHeader(), file)))
        .hasMessageEndingWith("field id: Field 0 in record is not a valid int64: x");
  }

  @Test
  void errors_haveTheNamesOfTheFields_withAHeaderAndWithout() throws IOException {
    Csv three = Csv.of(Field.int64("id"), Field.string("name"), Field.float32("price"));
    String file = written("a.csv", "id,name,price\n1,a,\n");
    String bare = written("bare.csv", "1,a,\n");

    for (Dataset rows : List.of(Dataset.csv(three.withHeader(), file), Dataset.csv(three, bare))) {
      assertThatThrownBy(() -> ids(rows))
          .hasMessageContaining("record 1: field price: Field 2 is required but missing in record");
    }
  }

  @Test
  void columnThatIsNotThere_isNamedWithThoseThatAre() throws IOException {
    Csv ninth = Csv.of(Field.int64("id").at(0), Field.string("name").at(9));
    String file = written("a.csv", "id,name,price\n1,a,2\n");

    assertThatThrownBy(() -> ids(Dataset.csv(ninth.skippingHeader(), file)))
        .hasMessageContaining(
            "Expect 2 fields but have 1 in record, which has 3 columns: there is no column 9 for"
                + " name, counted from 0");
    assertThatThrownBy(() -> ids(Dataset.csv(ninth.withHeader(), file)))
        .hasMessageContaining(
            "leave out the fields that have no column; they are at 0, 9, counted from 0, of 3"
                + " columns");
  }

  @Test
  @SuppressWarnings("NullAway") // the nulls that it refuses
  void nullField_isNamedByItsPlace() {
    assertThatThrownBy(() -> Csv.of(Field.int64("id"), (Field) null))
        .hasMessage("field 1 of fields is null");
  }

  @Test
  void skippingHeader_takesAnyNames() throws IOException {
    Csv skipped = Csv.of(Field.int64("id"), Field.string("name")).skippingHeader();

    assertThat(ids(Dataset.csv(skipped, written("a.csv", "other,names\n1,a\n"))))
        .containsExactly(1L);
  }

  @Test
  void ignoreErrors_leavesOutTheRecordsOfAFileWithAnotherHeader() throws IOException {
    String wrong = written("wrong.csv", "name,id\n5,5\n6,6\n");
    String right = written("right.csv", "id,name\n1,a\n");

    assertThat(ids(Dataset.csv(ROWS, right, wrong, right).ignoreErrors())).containsExactly(1L, 1L);
  }
}
