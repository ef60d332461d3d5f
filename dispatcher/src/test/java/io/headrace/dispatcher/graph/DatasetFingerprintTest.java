package io.headrace.dispatcher.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Shuffle;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DatasetFingerprintTest {
  private static long of(Dataset dataset) {
    return DatasetFingerprint.ofRecords(
        DatasetDef.newBuilder().setGraph(dataset.toGraphDef()).build());
  }

  private static Dataset pipeline(int added, int repeats, int batch) {
    return Dataset.range(9)
        .flatMap(x -> Dataset.range(3).map(y -> y.mul(repeats)))
        .map(x -> x.add(added))
        .batch(batch);
  }

  @Test
  void pipelinesWithOtherElements_haveOtherFingerprints() {
    assertThat(
            Stream.of(
                    pipeline(1, 2, 2),
                    pipeline(2, 2, 2),
                    pipeline(1, 3, 2),
                    pipeline(1, 2, 3),
                    pipeline(1, 2, 2).map(x -> x.mul(2L)),
                    Dataset.range(9),
                    Dataset.range(10),
                    Dataset.range(9).filter(x -> x.less(5L)),
                    Dataset.range(9).filter(x -> x.less(6L)))
                .map(DatasetFingerprintTest::of))
        .doesNotHaveDuplicates();
  }

  @Test
  void tuningAndSeeds_doNotChangeTheFingerprint() {
    Dataset range = Dataset.range(9);
    long shuffled = of(range.shuffle(4, Shuffle.seed(1)).batch(2));

    assertThat(of(range.shuffle(4, Shuffle.seed(2)).batch(2))).isEqualTo(shuffled);
    assertThat(of(range.shuffle(9, Shuffle.RANDOM).batch(2))).isEqualTo(shuffled);
    assertThat(of(range.shuffle(4, Shuffle.seed(1)).prefetch(3).batch(2).prefetch(1)))
        .isEqualTo(shuffled);
    assertThat(of(range.interleave(x -> Dataset.range(3), Interleave.cycle(2))))
        .isEqualTo(of(range.interleave(x -> Dataset.range(3), Interleave.cycle(4))));
    assertThat(of(range.batch(2))).isNotEqualTo(shuffled);
  }

  @Test
  void pipelineBuiltAnew_hasTheSameFingerprint() {
    assertThat(of(pipeline(1, 2, 2))).isEqualTo(of(pipeline(1, 2, 2))).isNotZero();
  }

  @Test
  void requireSame_saysWhichDiffers() {
    assertThatCode(() -> requireSame(1, 2)).doesNotThrowAnyException();
    assertRefused(StatusCode.FAILED_PRECONDITION, "the sources have changed", 1, 3);
    assertRefused(StatusCode.INVALID_ARGUMENT, "parameters differ (", 2, 2);
    assertRefused(StatusCode.INVALID_ARGUMENT, "and so do its sources", 2, 3);
  }

  private static void requireSame(long dataset, long sources) {
    DatasetFingerprint.requireSame(
        DatasetFingerprint.of(dataset, sources),
        DatasetOutline.getDefaultInstance(),
        List.of(),
        JoinIterationRequest.newBuilder()
            .setSourcesFingerprint(DatasetFingerprint.of(1, 2))
            .build());
  }

  private static void assertRefused(StatusCode code, String why, long dataset, long sources) {
    assertThatThrownBy(() -> requireSame(dataset, sources))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }
}
