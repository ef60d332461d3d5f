package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.GetDataServiceConfigRequest;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.StructuredValue;
import io.headrace.proto.tensorflow.TensorSpecProto;
import io.headrace.proto.tensorflow.TupleValue;
import io.headrace.proto.tensorflow.TypeSpecProto;
import io.headrace.runtime.status.StatusCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DatasetRpcTest {
  private TestDispatcher dispatcher =
      new TestDispatcher(
          DispatcherConfig.builder().deploymentMode(DeploymentMode.DEPLOYMENT_MODE_REMOTE).build());

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void getVersion_isTensorFlows() {
    assertThat(dispatcher.stub().getVersion(GetVersionRequest.getDefaultInstance()).getVersion())
        .isEqualTo(9);
  }

  @Test
  void config_tellsTheDeploymentMode() {
    assertThat(
            dispatcher
                .stub()
                .getDataServiceConfig(GetDataServiceConfigRequest.getDefaultInstance())
                .getConfig()
                .getDeploymentMode())
        .isEqualTo(DeploymentMode.DEPLOYMENT_MODE_REMOTE);
  }

  @Test
  void register_withoutId_countsFromAThousandEvenForTheSameGraph() {
    assertThat(dispatcher.register("RangeDataset")).isEqualTo("1000");
    assertThat(dispatcher.register("RangeDataset")).isEqualTo("1001");
  }

  @Test
  void register_withoutId_skipsIdsThatWereAskedFor() {
    register("1000");
    register("1002");

    assertThat(dispatcher.register("RangeDataset")).isEqualTo("1001");
    assertThat(dispatcher.register("RangeDataset")).isEqualTo("1003");
  }

  @Test
  void register_takenId_keepsTheFirstGraph() {
    register("mine");
    var _ =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                TestDispatcher.dataset("TensorDataset").toBuilder().setDatasetId("mine").build());

    assertThat(graph("mine").getNode(0).getOp()).isEqualTo("RangeDataset");
  }

  @Test
  void register_takenIdWithOtherMetadata_isRefused() {
    register("mine");
    GetOrRegisterDatasetRequest other =
        TestDispatcher.dataset("RangeDataset").toBuilder().setDatasetId("mine").build();

    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () ->
                dispatcher
                    .stub()
                    .getOrRegisterDataset(
                        other.toBuilder()
                            .setMetadata(other.getMetadata().toBuilder().setCardinality(5))
                            .build()))
        .hasMessageContaining("Datasets with the same ID should have the same structure");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../evil", "a/b", "..", ".", "a\\b", "a\nb"})
  void register_idThatIsAPath_isRefused(String id) {
    assertFails(StatusCode.INVALID_ARGUMENT, () -> register(id)).hasMessageContaining("dataset_id");
  }

  @Test
  void register_preparesTheGraph() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(NodeDef.newBuilder().setName("t").setOp("HashTableV2").setDevice("/cpu:0"))
            .addNode(NodeDef.newBuilder().setName("r").setOp("RangeDataset").setDevice("/gpu:0"))
            .build();
    String id =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                GetOrRegisterDatasetRequest.newBuilder()
                    .setDataset(DatasetDef.newBuilder().setGraph(graph))
                    .build())
            .getDatasetId();

    GraphDef prepared = graph(id);
    assertThat(prepared.getNode(0).getAttrOrThrow("use_node_name_sharing").getB()).isTrue();
    assertThat(prepared.getNodeList()).allSatisfy(n -> assertThat(n.getDevice()).isEmpty());
  }

  @Test
  void metadata_isWhatWasRegistered() {
    String id = dispatcher.register("RangeDataset");

    assertThat(
            dispatcher
                .stub()
                .getDataServiceMetadata(
                    GetDataServiceMetadataRequest.newBuilder().setDatasetId(id).build())
                .getMetadata()
                .getCompression())
        .isEqualTo(Compression.COMPRESSION_OFF);
  }

  @Test
  void metadata_unknownDataset_isNotFound() {
    assertFails(
            StatusCode.NOT_FOUND,
            () ->
                dispatcher
                    .stub()
                    .getDataServiceMetadata(
                        GetDataServiceMetadataRequest.newBuilder().setDatasetId("7").build()))
        .hasMessageContaining("Dataset id 7 not found");
  }

  @Test
  void disableCompression_uncompressedDataset_hasNothingToDisable() {
    assertThat(disable(dispatcher.register("RangeDataset"), true).getNoCompressionToDisable())
        .isTrue();
  }

  @Test
  void disableCompression_firstCallerDecides() {
    GetOrRegisterDatasetRequest request = TestDispatcher.dataset("RangeDataset");
    String id =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                request.toBuilder()
                    .setMetadata(
                        request.getMetadata().toBuilder()
                            .setCompression(Compression.COMPRESSION_SNAPPY))
                    .build())
            .getDatasetId();

    assertThat(disable(id, true).getCompressionDisabledAtRuntime()).isTrue();
    assertThat(disable(id, false).getCompressionDisabledAtRuntime()).isTrue();
  }

  private void registerCompressed(String id, Compression compression, StructuredValue spec) {
    registerCompressed(id, compression, spec, 10);
  }

  private void registerCompressed(
      String id, Compression compression, StructuredValue spec, long cardinality) {
    GetOrRegisterDatasetRequest request = TestDispatcher.dataset("RangeDataset");
    var _ =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                request.toBuilder()
                    .setDatasetId(id)
                    .setMetadata(
                        request.getMetadata().toBuilder()
                            .setCompression(compression)
                            .setCardinality(cardinality)
                            .setElementSpec(spec.toByteString()))
                    .build());
  }

  private static StructuredValue spec(DataType dtype) {
    return StructuredValue.newBuilder()
        .setTensorSpecValue(TensorSpecProto.newBuilder().setDtype(dtype))
        .build();
  }

  private static StructuredValue tuple(StructuredValue... parts) {
    return StructuredValue.newBuilder()
        .setTupleValue(TupleValue.newBuilder().addAllValues(List.of(parts)))
        .build();
  }

  private boolean isDisabled(String id) {
    return disable(id, false).getCompressionDisabledAtRuntime();
  }

  @Test
  void compression_whereAllWorkersAreOnLoopback_isDisabled_ifNobodyAskedForIt() {
    new TestPeers(dispatcher).start("localhost:1");
    new TestPeers(dispatcher).start("127.0.0.1:2");
    new TestPeers(dispatcher).start("[::1]:3");
    StructuredValue plain = tuple(spec(DataType.DT_INT64), spec(DataType.DT_STRING));
    registerCompressed("auto", Compression.COMPRESSION_SNAPPY, plain);
    registerCompressed("forced", Compression.COMPRESSION_FORCED_SNAPPY, plain);
    registerCompressed(
        "ragged",
        Compression.COMPRESSION_SNAPPY,
        tuple(
            spec(DataType.DT_INT64),
            StructuredValue.newBuilder()
                .setTypeSpecValue(
                    TypeSpecProto.newBuilder()
                        .setTypeSpecClass(TypeSpecProto.TypeSpecClass.RAGGED_TENSOR_SPEC))
                .build()));
    registerCompressed("variant", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_VARIANT));
    registerCompressed(
        "unknown", Compression.COMPRESSION_SNAPPY, StructuredValue.getDefaultInstance());

    assertThat(isDisabled("auto")).isTrue();
    assertThat(isDisabled("forced")).isFalse();
    assertThat(isDisabled("ragged")).isFalse();
    assertThat(isDisabled("variant")).isFalse();
    assertThat(isDisabled("unknown")).isFalse();
  }

  @Test
  void compression_ofADatasetWithoutAnEnd_stays_asCachesMayHoldIt() {
    new TestPeers(dispatcher).start("localhost:1");
    StructuredValue plain = spec(DataType.DT_INT64);
    registerCompressed("of unknown length", Compression.COMPRESSION_SNAPPY, plain, -2);
    registerCompressed("endless", Compression.COMPRESSION_SNAPPY, plain, -1);

    assertThat(isDisabled("of unknown length")).isTrue();
    assertThat(isDisabled("endless")).isFalse();
  }

  @Test
  void compression_whereAWorkerIsOnAnotherHost_stays() {
    new TestPeers(dispatcher).start("localhost:1");
    new TestPeers(dispatcher).start("worker-1.example:2");
    registerCompressed("auto", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));

    assertThat(isDisabled("auto")).isFalse();
  }

  @Test
  void compression_whereAWorkerIsOfTensorFlow_stays() {
    new TestPeers(dispatcher).start("localhost:1");
    dispatcher.startWorker("localhost:2");
    registerCompressed("auto", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));

    assertThat(isDisabled("auto")).isFalse();
  }

  @Test
  void compression_isForLaterDatasetsAsForTheFirst_alsoAfterARestart() {
    registerCompressed("first", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));
    registerCompressed("second", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));

    assertThat(isDisabled("first")).as("before there is a worker").isFalse();
    new TestPeers(dispatcher).start("localhost:1");
    assertThat(isDisabled("second")).isFalse();

    registerCompressed("third", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));
    InMemoryJournal journal = dispatcher.memory().reopen();
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), journal);
    new TestPeers(dispatcher).start("localhost:1");
    assertThat(isDisabled("third")).isFalse();
  }

  @Test
  void compression_thatOneProgramDoesNotWant_staysForOthers() {
    new TestPeers(dispatcher).start("worker-1.example:2");
    registerCompressed("asked", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));
    registerCompressed("other", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));

    assertThat(disable("asked", true).getCompressionDisabledAtRuntime()).isTrue();
    assertThat(isDisabled("other")).isFalse();
  }

  @Test
  void compression_thatOneProgramDidNotWant_staysForOthers_afterARestart() {
    registerCompressed("asked", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));
    registerCompressed("other", Compression.COMPRESSION_SNAPPY, spec(DataType.DT_INT64));
    assertThat(disable("asked", true).getCompressionDisabledAtRuntime()).isTrue();

    InMemoryJournal journal = dispatcher.memory().reopen();
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), journal);

    assertThat(isDisabled("asked")).isTrue();
    assertThat(isDisabled("other")).isFalse();
  }

  @Test
  void register_malformedElementSpec_isRefusedOnlyWhenCompared() {
    GetOrRegisterDatasetRequest request = withSpec("mine", "\u0008\u0001\u0002");
    var _ = dispatcher.stub().getOrRegisterDataset(request);

    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> dispatcher.stub().getOrRegisterDataset(withSpec("mine", "\u0009")))
        .hasMessageContaining("Failed to parse element_spec for dataset mine");
  }

  private static GetOrRegisterDatasetRequest withSpec(String id, String spec) {
    GetOrRegisterDatasetRequest request = TestDispatcher.dataset("RangeDataset");
    return request.toBuilder()
        .setDatasetId(id)
        .setMetadata(
            request.getMetadata().toBuilder().setElementSpec(ByteString.copyFromUtf8(spec)))
        .build();
  }

  private DisableCompressionAtRuntimeResponse disable(String id, boolean disable) {
    return dispatcher
        .stub()
        .disableCompressionAtRuntime(
            DisableCompressionAtRuntimeRequest.newBuilder()
                .setDatasetId(id)
                .setDisableCompressionAtRuntime(disable)
                .build());
  }

  private void register(String id) {
    var _ =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                TestDispatcher.dataset("RangeDataset").toBuilder().setDatasetId(id).build());
  }

  private GraphDef graph(String id) {
    return dispatcher
        .stub()
        .getDatasetDef(GetDatasetDefRequest.newBuilder().setDatasetId(id).build())
        .getDatasetDef()
        .getGraph();
  }
}
