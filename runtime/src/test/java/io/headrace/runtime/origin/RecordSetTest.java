package io.headrace.runtime.origin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.headrace.GroupRecords;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.SourceRecords;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecordSetTest {
  @Test
  void group_isComplete_onceItsNumberIsKnownAndAllAreThere() {
    RecordSet set = new RecordSet();
    set.add(0, 5, 0, 3);
    assertThat(set.isComplete(0, 5)).isFalse();
    set.end(0, 5, 4);
    assertThat(set.isComplete(0, 5)).isFalse();
    set.add(0, 5, 2, 2);
    assertThat(set.isComplete(0, 5)).isTrue();
    assertThat(set.groups(0)).isEmpty();
    set.add(0, 5, 1, 1);
    assertThat(set.groups(0)).isEmpty();
    set.end(0, 6, 0);
    assertThat(set.isComplete(0, 6)).isTrue();
  }

  @Test
  void message_bringsItBack() {
    RecordSet set = new RecordSet();
    set.add(0, Origins.SPLITS, 10, 5);
    set.add(3, 7, 1, 1);
    set.end(3, 7, 9);
    set.end(3, 8, 0);
    assertThat(RecordSet.of(set.toProto())).isEqualTo(set);
    assertThat(set.copy()).isEqualTo(set);
    assertThat(set.size()).isEqualTo(7);
  }

  @Test
  void containsAll_isWhetherAddingChangesNothing() {
    RecordSet set = new RecordSet();
    set.add(0, Origins.SPLITS, 10, 5);
    set.add(3, 7, 1, 2);
    set.completeGroups(3, 8, 10);

    assertThat(set.containsAll(new RecordSet())).isTrue();
    assertThat(set.containsAll(set.copy())).isTrue();
    for (RecordSet part : List.of(of(0, Origins.SPLITS, 11), of(3, 7, 2), of(3, 8, 99))) {
      assertThat(set.containsAll(part)).isTrue();
    }
    RecordSet end = new RecordSet();
    end.end(3, 7, 5);
    for (RecordSet more :
        List.of(of(0, Origins.SPLITS, 15), of(1, 0, 0), of(3, 7, 3), of(3, 10, 0), end)) {
      assertThat(set.containsAll(more)).isFalse();
    }
  }

  private static RecordSet of(long source, long group, long record) {
    RecordSet set = new RecordSet();
    set.add(source, group, record, 1);
    return set;
  }

  @Test
  void within_keepsTheSplitsOfAScope() {
    RecordSet set = new RecordSet();
    set.add(0, Origins.SPLITS, 10, 5);
    set.add(1, 7, 1, 1);
    set.end(1, 7, 9);
    set.add(1, 8, 1, 1);
    set.end(1, 9, 0);
    LongSet splits = new LongSet();
    splits.addRange(9, 12);
    LongSet groups = new LongSet();
    groups.add(7);
    groups.add(9);
    RecordSet expected = new RecordSet();
    expected.add(0, Origins.SPLITS, 10, 2);
    expected.add(1, 7, 1, 1);
    expected.end(1, 7, 9);
    expected.end(1, 9, 0);
    assertThat(set.within(Map.of(0L, splits, 1L, groups))).isEqualTo(expected);
  }

  @Test
  void badMessages_areRefused() {
    RecordSetProto beyond =
        RecordSetProto.newBuilder()
            .addSources(
                SourceRecords.newBuilder()
                    .addGroups(GroupRecords.newBuilder().addRanges(0).addRanges(5).setRecords(3)))
            .build();
    assertThatThrownBy(() -> RecordSet.of(beyond))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("3 records");
  }
}
