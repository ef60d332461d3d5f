package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Shuffle;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.StructuredValue;
import io.headrace.proto.tensorflow.TensorSpecProto;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers of one job by its name, each with a dataset that it registered itself. */
final class SharedDatasetTest {
  private static final Logger LOGGER = Logger.getLogger(JobLog.class.getName());

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);
  private final List<String> warnings = new ArrayList<>();

  @BeforeEach
  void listen() {
    LOGGER.setFilter(this::note);
    LOGGER.setLevel(Level.WARNING);
    peers.start("w:1");
  }

  @AfterEach
  void close() {
    LOGGER.setFilter(null);
    LOGGER.setLevel(null);
    dispatcher.close();
  }

  /** Keeps a warning, and out of the log of the tests. */
  private boolean note(LogRecord line) {
    if (line.getLevel().equals(Level.WARNING)) {
      warnings.add(new SimpleFormatter().formatMessage(line));
    }
    return false;
  }

  /** A request by name, with a dataset of its own. */
  private JoinIterationRequest.Builder named(Dataset dataset) {
    return JoinIterationRequest.newBuilder()
        .setJob(peers.job(dataset, ShardingPolicy.DYNAMIC).setJobName("epochs"))
        .setRepetition(1);
  }

  private static Dataset shuffled(int n) {
    return Dataset.range(n).shuffle(4, Shuffle.RANDOM);
  }

  @Test
  void secondReader_readsTheFirstOnesDataset() {
    long first = peers.join(named(shuffled(10))).getIterationClientId();
    JoinIterationResponse second = peers.join(named(shuffled(10)));

    assertThat(second.getIterationClientId()).isNotEqualTo(first);
    assertThat(peers.task(second.getIterationClientId(), "w:1"))
        .isEqualTo(peers.task(first, "w:1"));
    assertThat(warnings).isEmpty();
  }

  @Test
  void secondReaderOfALaterPass_readsTheFirstOnesDataset() {
    var _ = peers.join(named(Dataset.range(10)));
    JoinIterationResponse second = peers.join(named(Dataset.range(99)).setRepetition(2));

    long task = peers.task(second.getIterationClientId(), "w:1");
    assertThat(peers.take(task, 99).getNumSplits()).isLessThanOrEqualTo(10);
    var rest = peers.take(task, 99);
    while (!rest.getEndOfSplits()) {
      assertThat(rest.getFirstSplit() + rest.getNumSplits()).isLessThanOrEqualTo(10);
      rest = peers.take(task, 99);
    }
  }

  @Test
  void otherDataset_isWarnedOfOnce_withTheDifference() {
    var _ = peers.join(named(shuffled(10)));

    var request = named(shuffled(11));
    var _ = peers.join(request);
    var _ = peers.join(request.setRepetition(2));

    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst())
        .matches(
            "job epochs reads dataset 1000; a reader that joined it by its name has another one,"
                + " 1001, which has .* 11 as value of Const .* where the other has .* 10;"
                + " it reads the job's");
  }

  @Test
  void stockReaderWithAnotherDataset_isWarnedOf() {
    String first = dispatcher.register(Dataset.range(10));
    String second = dispatcher.register(Dataset.range(11));

    assertThat(dispatcher.createJob(second, "named"))
        .isNotEqualTo(dispatcher.createJob(first, "other"));
    assertThat(dispatcher.createJob(first, "named"))
        .isEqualTo(dispatcher.createJob(second, "named"));

    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst()).startsWith("job named reads dataset 1001;");
  }

  @Test
  void strictReader_withTheSameGraph_joins() {
    var _ = peers.join(named(shuffled(10)));

    assertThat(peers.join(named(shuffled(10)).setStrictNames(true)).getIterationClientId())
        .isPositive();
  }

  @Test
  void strictReader_withAnotherGraph_isRefusedNamingTheDifference() {
    var _ = peers.join(named(shuffled(10)));

    assertFails(
            StatusCode.INVALID_ARGUMENT, () -> peers.join(named(shuffled(11)).setStrictNames(true)))
        .hasMessageContaining("job epochs reads dataset 1000")
        .hasMessageContaining("as value of Const");
    assertThat(warnings).isEmpty();
  }

  @Test
  void readerThatExpectsOtherElements_isRefused() {
    String numbers = register(DataType.DT_INT64, "");
    String texts = register(DataType.DT_STRING, "");
    var _ = peers.join(request(numbers));

    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.join(request(texts)))
        .hasMessageContaining(
            "job typed reads dataset 1000, and this reader's dataset 1001 is another one: their"
                + " element specs differ; give the job another name");
  }

  @Test
  void tokenOfTheJob_isCheckedAgainstTheJobsDataset() {
    JoinIterationResponse first = peers.join(named(shuffled(10)).setReader(7));

    JoinIterationRequest.Builder resumed =
        named(shuffled(10))
            .setReader(8)
            .addPredecessors(7)
            .setSourcesFingerprint(first.getSourcesFingerprint())
            .setTaken(new RecordSet().toProto());

    assertThat(peers.join(resumed).getSourcesFingerprint())
        .isEqualTo(first.getSourcesFingerprint());
  }

  @Test
  void registeringUnderAnIdInUse_keepsTheFirstGraph_andWarns() {
    String id = register(DataType.DT_INT64, "mine");
    var before = dispatcher.snapshot();

    assertThat(
            dispatcher
                .stub()
                .getOrRegisterDataset(registration(Dataset.range(6), DataType.DT_INT64, "mine"))
                .getDatasetId())
        .isEqualTo(id);

    assertThat(dispatcher.snapshot()).isEqualTo(before);
    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst())
        .startsWith("dataset mine stays as it was first registered; the one that was given later")
        .contains("as value of Const");
  }

  private GetOrRegisterDatasetRequest registration(Dataset dataset, DataType type, String id) {
    GetOrRegisterDatasetRequest.Builder request =
        GetOrRegisterDatasetRequest.newBuilder()
            .setMetadata(
                DataServiceMetadata.newBuilder()
                    .setElementSpec(
                        StructuredValue.newBuilder()
                            .setTensorSpecValue(TensorSpecProto.newBuilder().setDtype(type))
                            .build()
                            .toByteString()));
    request.getDatasetBuilder().setGraph(dataset.toGraphDef());
    return id.isEmpty() ? request.build() : request.setDatasetId(id).build();
  }

  private String register(DataType type, String id) {
    return dispatcher
        .stub()
        .getOrRegisterDataset(registration(Dataset.range(5), type, id))
        .getDatasetId();
  }

  private static JoinIterationRequest.Builder request(String dataset) {
    GetOrCreateJobRequest job =
        TestDispatcher.dynamicJob(dataset).toBuilder().setJobName("typed").build();
    return JoinIterationRequest.newBuilder().setJob(job).setRepetition(1);
  }
}
