package io.headrace.runtime.origin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RecordPlacesTest {
  /** The places of {@code rows} rows in words, with an empty text where none is known. */
  private static List<String> describe(RecordPlaces places, int rows) {
    List<String> described = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      described.add(places.describe(row).orElse(""));
    }
    return described;
  }

  @Test
  void record_isCountedFromTheFirstRow() {
    assertThat(describe(RecordPlaces.of("/f", 5, 3), 3))
        .containsExactly("record 5 of /f", "record 6 of /f", "record 7 of /f");
  }

  @Test
  void unknownRows_alone_areNoPlaces() {
    assertThat(new RecordPlaces.Builder().addUnknown(3).build()).isSameAs(RecordPlaces.NONE);
    assertThat(RecordPlaces.NONE.slice(1, 2)).isSameAs(RecordPlaces.NONE);
    assertThat(RecordPlaces.NONE.describe(4)).isEmpty();
    assertThat(RecordPlaces.NONE.record(4)).isZero();
  }

  @Test
  void randomSlicesGathersAndConcatenations_keepEachRowsPlace() {
    Random random = new Random(19);
    for (int i = 0; i < 2_000; i++) {
      RecordPlaces.Builder all = new RecordPlaces.Builder();
      List<String> expected = new ArrayList<>();
      for (int part = random.nextInt(6); part >= 0; part--) {
        int rows = 1 + random.nextInt(5);
        int record = 1 + random.nextInt(5);
        String file = "/f" + random.nextInt(2);
        boolean isKnown = random.nextInt(4) > 0;
        RecordPlaces of = isKnown ? RecordPlaces.of(file, record, rows) : RecordPlaces.NONE;
        all.addRows(of, 0, rows);
        expected.addAll(describe(of, rows));
      }
      RecordPlaces places = all.build();
      assertThat(describe(places, expected.size())).isEqualTo(expected);

      int from = random.nextInt(expected.size());
      int to = from + 1 + random.nextInt(expected.size() - from);
      assertThat(describe(places.slice(from, to), to - from)).isEqualTo(expected.subList(from, to));

      int[] indices = random.ints(7, 0, expected.size()).toArray();
      List<String> gathered = new ArrayList<>();
      for (int at = 0; at < 5; at++) {
        gathered.add(expected.get(indices[at]));
      }
      assertThat(describe(places.gather(indices, 5), 5)).isEqualTo(gathered);
    }
  }
}
