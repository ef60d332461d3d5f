package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementSpecs;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.experimental.DistributedSnapshotMetadata;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handing out splits by TensorFlow's GetSplit and by our TakeSplits. */
final class SplitRpcTest {
  private final Map<String, FakeWorkerNetwork.Node> workers = new HashMap<>();
  private TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void getSplit_givesEachSplitOnce_thenTheEnd() {
    long iteration = iterate(Dataset.range(3, 10, 3), "w:1");

    assertThat(values(iteration, 0, 4)).containsExactly(3L, 6L, 9L);
    assertThat(split(iteration, 0, 0).getEndOfSplits()).isTrue();
    assertThat(split(iteration, 0, 0).getSplit().getDtype()).isEqualTo(DataType.DT_INVALID);
  }

  @Test
  void getSplit_ofALaterRepetition_leavesTheEarlierOnes() {
    long iteration = iterate(Dataset.range(5), "w:1");

    assertThat(values(iteration, 0, 2)).containsExactly(0L, 1L);
    assertThat(values(iteration, 2, 2)).containsExactly(0L, 1L);
    assertThat(split(iteration, 1, 0).getEndOfSplits()).isTrue();
    assertThat(values(iteration, 2, 9)).containsExactly(2L, 3L, 4L);
    assertThat(values(iteration, 3, 1)).containsExactly(0L);
  }

  @Test
  void getSplit_ofEachSource_byItsPlace() {
    Dataset pairs = Dataset.zip(Dataset.range(2), Dataset.range(100, 103, 1));
    long iteration = iterate(pairs, "w:1");

    assertThat(task("w:1").getNumSplitProviders()).isEqualTo(2);
    assertThat(TensorProtos.read(split(iteration, 0, 1).getSplit()).integer(0)).isEqualTo(100);
    assertThat(TensorProtos.read(split(iteration, 0, 0).getSplit()).integer(0)).isZero();
    assertFails(StatusCode.INVALID_ARGUMENT, () -> split(iteration, 0, 2))
        .hasMessageContaining("split_provider_index must be 0 to 1");
  }

  @Test
  void getSplit_ofTheChunksOfASnapshot_givesTheirNames(@TempDir Path snapshot) throws IOException {
    Path chunks = Files.createDirectory(snapshot.resolve("chunks"));
    Path first = Files.createFile(chunks.resolve("chunk_0_0_5"));
    Path second = Files.createFile(chunks.resolve("chunk_0_1_2"));
    Files.createFile(snapshot.resolve("DONE"));
    ByteString spec = ElementSpecs.write(Dataset.range(1).structure());
    Files.writeString(
        snapshot.resolve("snapshot.metadata"),
        DistributedSnapshotMetadata.newBuilder().setElementSpec(spec).build().toString());
    long iteration = iterate(Dataset.load(snapshot.toString()), "w:1");

    assertThat(
            Stream.of(split(iteration, 0, 0), split(iteration, 0, 0))
                .map(split -> new String(TensorProtos.read(split.getSplit()).string(0), UTF_8)))
        .containsExactly(first.toString(), second.toString());
    assertThat(split(iteration, 0, 0).getEndOfSplits()).isTrue();
  }

  @Test
  void takeSplits_byTwoWorkers_giveEachOnce_inSharesThatShrink() {
    iterate(Dataset.range(1000), "w:1", "w:2");
    List<Long> taken = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    for (int request = 1; true; request++) {
      TakeSplitsResponse one = take("w:1", request, 1_000_000);
      TakeSplitsResponse two = take("w:2", request, 1_000_000);
      addValues(one, taken);
      addValues(two, taken);
      counts.add(one.getNumSplits());
      if (one.getEndOfSplits() && two.getEndOfSplits()) {
        break;
      }
    }

    assertThat(taken).containsExactlyElementsOf(LongStream.range(0, 1000).boxed().toList());
    assertThat(counts.getFirst()).isEqualTo(125);
    assertThat(counts).isSortedAccordingTo((a, b) -> Long.compare(b, a));
  }

  @Test
  void takeSplits_repeated_givesTheSameAnswer_overARestart() {
    iterate(Dataset.range(100), "w:1");
    TakeSplitsResponse first = take("w:1", 1, 10);
    TakeSplitsResponse second = take("w:1", 2, 10);

    assertThat(take("w:1", 2, 10)).isEqualTo(second);
    restart();
    assertThat(take("w:1", 2, 10)).isEqualTo(second);
    assertThat(first.getFirst()).isZero();
    assertThat(second.getFirst()).isEqualTo(10);
    assertThat(take("w:1", 3, 10).getFirst()).isEqualTo(20);
  }

  @Test
  void takeSplits_ofATaskThatHasEnded_isNotFound() {
    iterate(Dataset.range(100), "w:1", "w:2");
    long ended = task("w:1").getTaskId();
    dispatcher.finish("w:1", ended);

    assertFails(
        StatusCode.NOT_FOUND,
        () ->
            dispatcher
                .extensions()
                .takeSplits(
                    TakeSplitsRequest.newBuilder()
                        .setTaskId(ended)
                        .setMaxSplits(1)
                        .setRequestNumber(1)
                        .build()));
  }

  @Test
  void iteration_ofSourcesWithoutSplits_isUnimplemented_andTheNextWorks() {
    dispatcher.startWorker("w:1");
    long job = job(Dataset.textLines("a", "b"));

    assertFails(StatusCode.UNIMPLEMENTED, () -> dispatcher.iterate(job, 1))
        .hasMessageContaining("put what it reads");
    dispatcher.iterate(job(Dataset.range(3)), 1);
  }

  private void restart() {
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen());
  }

  /** Begins an iteration with tasks on the workers at {@code addresses}; returns its id. */
  private long iterate(Dataset dataset, String... addresses) {
    for (String address : addresses) {
      workers.put(address, dispatcher.startWorker(address));
    }
    long client = dispatcher.iterate(job(dataset), 1);
    return dispatcher.clientHeartbeat(client).getTaskInfo(0).getIterationId();
  }

  private long job(Dataset dataset) {
    return dispatcher
        .stub()
        .getOrCreateJob(TestDispatcher.dynamicJob(dispatcher.register(dataset)))
        .getJobId();
  }

  private TaskDef task(String worker) {
    return Objects.requireNonNull(workers.get(worker)).tasks().values().iterator().next();
  }

  private GetSplitResponse split(long iteration, long repetition, long provider) {
    return dispatcher
        .stub()
        .getSplit(
            GetSplitRequest.newBuilder()
                .setIterationId(iteration)
                .setRepetition(repetition)
                .setSplitProviderIndex(provider)
                .build());
  }

  private List<Long> values(long iteration, long repetition, int most) {
    List<Long> values = new ArrayList<>();
    while (values.size() < most) {
      GetSplitResponse response = split(iteration, repetition, 0);
      if (response.getEndOfSplits()) {
        break;
      }
      values.add(TensorProtos.read(response.getSplit()).integer(0));
    }
    return values;
  }

  private TakeSplitsResponse take(String worker, int request, long max) {
    return dispatcher
        .extensions()
        .takeSplits(
            TakeSplitsRequest.newBuilder()
                .setTaskId(task(worker).getTaskId())
                .setMaxSplits(max)
                .setRequestNumber(request)
                .build());
  }

  private static void addValues(TakeSplitsResponse response, List<Long> values) {
    for (long i = 0; i < response.getNumSplits(); i++) {
      values.add(response.getFirst() + i * response.getStep());
    }
  }
}
