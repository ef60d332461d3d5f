package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Shuffle;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which passes over a service yield checkpoints, and the elements after a resumption. */
@Timeout(120)
final class CheckpointTest {
  private static final long N = 100;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
  }

  private Dataset numbers(DistributeOptions options) {
    return Dataset.range(N).apply(DataService.distribute(options, dispatcher.target()));
  }

  private static DistributeOptions dynamic() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC);
  }

  private static List<Long> take(ElementIterator elements, long count) {
    List<Long> taken = new ArrayList<>();
    while (taken.size() < count && elements.hasNext()) {
      taken.add(elements.next().tensor().integer(0));
    }
    return taken;
  }

  private static void assertRefused(String why, ThrowingCallable call) {
    assertRefused(StatusCode.FAILED_PRECONDITION, why, call);
  }

  private static void assertRefused(StatusCode code, String why, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }

  @Test
  void inTheFirstPassOfARepeat_goesOnInIt_andThenRepeats() {
    List<Long> taken;
    Checkpoint checkpoint;
    try (ElementIterator elements = numbers(dynamic()).repeat(2).iterator()) {
      taken = take(elements, 30);
      checkpoint = elements.checkpoint();
    }

    try (ElementIterator elements =
        numbers(dynamic().resumedFrom(checkpoint)).repeat(2).iterator()) {
      taken.addAll(take(elements, Long.MAX_VALUE));
    }

    List<Long> twice = LongStream.range(0, N).flatMap(x -> LongStream.of(x, x)).boxed().toList();
    assertThat(taken.stream().sorted().toList()).isEqualTo(twice);
  }

  @Test
  void beforeTheFirstElement_isWhereThePassBegins() {
    Checkpoint atFirst;
    try (ElementIterator elements = numbers(dynamic()).iterator()) {
      atFirst = elements.checkpoint();
    }
    List<Long> taken;
    Checkpoint checkpoint;
    try (ElementIterator elements = numbers(dynamic().resumedFrom(atFirst)).iterator()) {
      taken = take(elements, 30);
      checkpoint = elements.checkpoint();
    }
    try (ElementIterator elements = numbers(dynamic().resumedFrom(checkpoint)).iterator()) {
      checkpoint = elements.checkpoint();
    }

    try (ElementIterator elements = numbers(dynamic().resumedFrom(checkpoint)).iterator()) {
      taken.addAll(take(elements, Long.MAX_VALUE));
    }
    assertThat(taken.stream().sorted().toList()).isEqualTo(LongStream.range(0, N).boxed().toList());
  }

  @Test
  void beforeTheFirstElement_ofAPassThatIsNotReadExactlyOnce_isRefused() {
    DistributeOptions options = dynamic().withGuarantee(Guarantee.AT_LEAST_ONCE);
    try (ElementIterator elements = numbers(options).iterator()) {
      assertRefused("AT_LEAST_ONCE", elements::checkpoint);
    }
  }

  @Test
  void inALaterPassOfARepeat_isRefused() {
    try (ElementIterator elements = numbers(dynamic()).repeat(2).iterator()) {
      assertThat(take(elements, N + 1)).hasSize((int) N + 1);
      assertRefused("a checkpoint holds one", elements::checkpoint);
    }
  }

  @Test
  void behindElementsOfThisProcess_isRefused() {
    Dataset both = numbers(dynamic()).concatenate(Dataset.range(3)).batch(2);
    try (ElementIterator elements = both.iterator()) {
      assertThat(elements.next().tensor().elements()).isEqualTo(2);
      assertThat(elements.checkpoint().toBytes()).isNotEmpty();
      elements.forEachRemaining(_ -> {});
      assertRefused("elements of its own process", elements::checkpoint);
    }
  }

  @Test
  void ofAPassThatIsNotReadExactlyOnce_isRefused() {
    DistributeOptions options = dynamic().withGuarantee(Guarantee.AT_LEAST_ONCE);
    try (ElementIterator elements = numbers(options).iterator()) {
      assertThat(take(elements, 3)).hasSize(3);
      assertRefused("AT_LEAST_ONCE", elements::checkpoint);
    }
  }

  @Test
  void ofAnotherDataset_isRefused() {
    Checkpoint checkpoint;
    try (ElementIterator elements = numbers(dynamic()).iterator()) {
      assertThat(take(elements, 30)).hasSize(30);
      checkpoint = elements.checkpoint();
    }
    assertOther("number 1 from the source on is RangeDataset in", Dataset.range(N + 1), checkpoint);
    assertOther("MapDataset", Dataset.range(N).map(x -> x.mul(2L)), checkpoint);
    assertOther(
        "FilterDataset is new, behind RangeDataset",
        Dataset.range(N).filter(x -> x.less(50L)),
        checkpoint);
    assertOther("BatchDataset", Dataset.range(N).batch(2), checkpoint);
  }

  private void assertOther(String difference, Dataset other, Checkpoint checkpoint) {
    Dataset resumed =
        other.apply(DataService.distribute(dynamic().resumedFrom(checkpoint), dispatcher.target()));
    try (ElementIterator elements = resumed.iterator()) {
      assertRefused(StatusCode.INVALID_ARGUMENT, "belongs to another dataset", elements::hasNext);
    }
    try (ElementIterator elements = resumed.iterator()) {
      assertRefused(StatusCode.INVALID_ARGUMENT, difference, elements::hasNext);
    }
  }

  @Test
  void ofTheSameDatasetInAnotherOrder_isGoneOnFrom() {
    List<Long> taken;
    Checkpoint checkpoint;
    try (ElementIterator elements = shuffled(10, Shuffle.seed(1), dynamic()).iterator()) {
      taken = take(elements, 30);
      checkpoint = Checkpoint.ofJson(elements.checkpoint().toJson());
    }
    DistributeOptions resumed = dynamic().resumedFrom(checkpoint);
    try (ElementIterator elements = shuffled(20, Shuffle.RANDOM, resumed).iterator()) {
      taken.addAll(take(elements, Long.MAX_VALUE));
    }
    assertThat(taken.stream().sorted().toList()).isEqualTo(LongStream.range(0, N).boxed().toList());
  }

  private Dataset shuffled(long buffer, Shuffle shuffle, DistributeOptions options) {
    return Dataset.range(N)
        .shuffle(buffer, shuffle)
        .apply(DataService.distribute(options, dispatcher.target()));
  }

  private Checkpoint after(long count, DistributeOptions options) {
    try (ElementIterator elements = numbers(options).iterator()) {
      assertThat(take(elements, count)).hasSize((int) count);
      return elements.checkpoint();
    }
  }

  @Test
  void ofTwoReads_areNotMerged() {
    Checkpoint one = after(10, dynamic());
    Checkpoint other = after(20, dynamic());
    Checkpoint first = after(10, dynamic().withJobName("first"));
    Checkpoint second = after(10, dynamic().withJobName("second"));

    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "two reads, one without a job name (reader ",
        () -> one.merge(other));
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "one of job first and one of job second",
        () -> first.merge(second));
    assertRefused(StatusCode.INVALID_ARGUMENT, "and one of job second", () -> one.merge(second));
    assertThat(one.merge(one)).isEqualTo(one);
  }

  @Test
  void ofAnEmptyFile_isRefused() {
    assertRefused(
        StatusCode.INVALID_ARGUMENT, "its file is empty", () -> Checkpoint.ofBytes(new byte[0]));
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "no checkpoint: it does not tell its format",
        () -> Checkpoint.ofJson("{}"));
  }

  @Test
  void withAChangedBit_isRefused() {
    byte[] bytes = after(30, dynamic()).toBytes();
    for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
      byte[] changed = bytes.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertThatThrownBy(() -> Checkpoint.ofBytes(changed))
          .as("bit %d of %d bytes", bit, bytes.length)
          .isInstanceOf(StatusException.class);
    }
    byte[] changed = bytes.clone();
    changed[bytes.length - 1] ^= 1;
    assertRefused(
        StatusCode.DATA_LOSS,
        "its check sum is not that of its content",
        () -> Checkpoint.ofBytes(changed));
    assertThat(Checkpoint.ofBytes(bytes).toBytes()).isEqualTo(bytes);
  }

  @Test
  void thatIsTruncated_isRefused() {
    byte[] bytes = after(30, dynamic()).toBytes();
    for (int length = 2; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);
      assertRefused(StatusCode.DATA_LOSS, "truncated", () -> Checkpoint.ofBytes(part));
    }
  }

  @Test
  void asJson_hasItsCheckSum() {
    Checkpoint checkpoint = after(30, dynamic());
    String json = checkpoint.toJson();
    assertThat(Checkpoint.ofJson(json)).isEqualTo(checkpoint);

    assertRefused(
        StatusCode.DATA_LOSS,
        "its check sum",
        () ->
            Checkpoint.ofJson(json.replaceFirst("\"repetition\": \"1\"", "\"repetition\": \"2\"")));
  }

  @Test
  void ofTheFormatBefore_whichHasNoCheckSum_isRead() {
    CheckpointProto before =
        after(30, dynamic()).toProto().toBuilder().setFormat(2).clearCrc32C().build();
    Checkpoint checkpoint = Checkpoint.ofBytes(before.toByteArray());

    try (ElementIterator rest = numbers(dynamic().resumedFrom(checkpoint)).iterator()) {
      assertThat(take(rest, Long.MAX_VALUE)).hasSize((int) N - 30);
    }
  }

  @Test
  void ofAnEarlierFormat_isRefused() {
    String earlier =
        """
        {"format": 1, "guarantee": "EXACTLY_ONCE", "sourcesFingerprint": "7",
         "repetitions": [{"repetition": "1"}]}
        """;
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "a checkpoint of format 1, of an earlier version",
        () -> Checkpoint.ofJson(earlier));
  }
}
