package io.headrace.runtime.origin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OriginsTest {
  private static Origins.Builder build() {
    return new Origins.Builder();
  }

  @Test
  void consecutiveRows_areOneEntry() {
    Origins origins = build().addRecords(3, 0, 7, 10).addRecords(2, 0, 7, 13).build();
    assertThat(origins.size()).isEqualTo(1);
    assertThat(origins.totalRows()).isEqualTo(5);
    assertThat(origins).isEqualTo(build().addRecords(5, 0, 7, 10).build());
  }

  @Test
  void otherGroups_areOtherEntries() {
    Origins origins = build().addRecords(1, 0, 7, 10).addRecords(1, 0, 8, 11).build();
    assertThat(origins.size()).isEqualTo(2);
  }

  @Test
  void slice_cutsEntriesAndKeepsWhatBelongsToItsRows() {
    Origins origins =
        build()
            .addParts(0, 7, 0, 2)
            .addRecords(3, 0, 7, 2)
            .addGroupEnd(0, 6, 4)
            .addRecords(2, 0, 8, 0)
            .build();
    assertThat(origins.slice(0, 1))
        .isEqualTo(build().addParts(0, 7, 0, 2).addRecords(1, 0, 7, 2).build());
    assertThat(origins.slice(1, 4))
        .isEqualTo(
            build().addRecords(2, 0, 7, 3).addGroupEnd(0, 6, 4).addRecords(1, 0, 8, 0).build());
    assertThat(origins.slice(4, 5)).isEqualTo(build().addRecords(1, 0, 8, 1).build());
    assertThat(origins.slice(0, 3).concat(origins.slice(3, 5))).isEqualTo(origins);
  }

  @Test
  void slice_leavesWhatFollowsItsLastRow() {
    Origins origins = build().addRecords(2, 0, 7, 0).addGroupEnd(0, 7, 2).build();
    assertThat(origins.slice(0, 2)).isEqualTo(build().addRecords(2, 0, 7, 0).build());
  }

  @Test
  void rowsOfSeveralRecords_areTakenWhole() {
    Origins origins =
        build()
            .addParts(0, 7, 0, 2)
            .addParts(0, 9, 5, 3)
            .endRow()
            .addParts(0, 9, 8, 4)
            .endRow()
            .build();
    assertThat(origins.totalRows()).isEqualTo(2);
    assertThat(origins.slice(0, 1))
        .isEqualTo(build().addParts(0, 7, 0, 2).addParts(0, 9, 5, 3).endRow().build());
    assertThat(origins.slice(1, 2)).isEqualTo(build().addParts(0, 9, 8, 4).endRow().build());
    assertThat(origins.gather(new int[] {1, 0}, 2).slice(1, 2)).isEqualTo(origins.slice(0, 1));
  }

  @Test
  void parts_ofRows_becomeOneRow() {
    Origins rows = build().addRecords(4, 0, Origins.SPLITS, 8).build();
    Origins batch = build().addParts(rows, 1, 4).endRow().build();
    assertThat(batch).isEqualTo(build().addParts(0, Origins.SPLITS, 9, 3).endRow().build());
    assertThat(batch.totalRows()).isEqualTo(1);
  }

  @Test
  void groupEnd_asLast_isKeptInTheRow() {
    Origins row = build().addRecords(1, 0, 3, 0).build();
    Origins batch = build().addParts(row, 0, 1).addGroupEnd(0, 3, 1).endRow().build();
    assertThat(batch.totalRows()).isEqualTo(1);
    RecordSet set = new RecordSet();
    set.add(batch);
    assertThat(set.isComplete(0, 3)).isTrue();
    RecordSet ofParts = new RecordSet();
    ofParts.add(build().addAllParts(batch).build());
    assertThat(ofParts).isEqualTo(set);
  }
}
