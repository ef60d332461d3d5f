package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile graphs: their sender gets an error, and other readers are not affected. */
@Timeout(300)
final class HostileGraphTest {
  private static final long HUGE = 1_000_000_000_000_000_000L;
  private static final int BESIDE = 50_000;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  private final ManagedChannel channel = GrpcChannels.open(dispatcher.address());
  private ElementIterator beside = Dataset.range(0).iterator();

  @BeforeEach
  void readBeside() {
    beside =
        Dataset.range(BESIDE)
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS), dispatcher.target()))
            .iterator();
    assertThat(beside.next().tensor().longs()[0]).isZero();
  }

  @AfterEach
  void stop() {
    beside.close();
    channel.shutdownNow();
    worker.close();
    dispatcher.close();
  }

  /** The kinds of harm, each with the change to a graph that does it. */
  enum Harm {
    CYCLE,
    MISSING_INPUT,
    RECURSION,
    TENSOR_OF_ANOTHER_SIZE,
    TENSOR_OF_A_HUGE_SHAPE,
    TENSOR_OF_A_NEGATIVE_SHAPE;

    private FunctionDef doneTo(FunctionDef function) {
      return replaceResult(
          function,
          switch (this) {
            case CYCLE -> negation("harm:y:0");
            case MISSING_INPUT -> negation("nowhere:y:0");
            case RECURSION ->
                NodeDef.newBuilder()
                    .setName("harm")
                    .setOp("PartitionedCall")
                    .addInput(function.getSignature().getInputArg(0).getName())
                    .putAttr("f", self(function))
                    .putAttr("Tin", types())
                    .putAttr("Tout", types());
            case TENSOR_OF_ANOTHER_SIZE ->
                constant(tensor(4).setTensorContent(ByteString.copyFrom(new byte[9])));
            case TENSOR_OF_A_HUGE_SHAPE -> constant(tensor(HUGE).addInt64Val(1));
            case TENSOR_OF_A_NEGATIVE_SHAPE -> constant(tensor(-7).addInt64Val(1));
          });
    }

    private static NodeDef.Builder negation(String input) {
      return NodeDef.newBuilder()
          .setName("harm")
          .setOp("Neg")
          .addInput(input)
          .putAttr("T", AttrValue.newBuilder().setType(DataType.DT_INT64).build());
    }

    private static AttrValue self(FunctionDef function) {
      return AttrValue.newBuilder()
          .setFunc(NameAttrList.newBuilder().setName(function.getSignature().getName()))
          .build();
    }

    private static AttrValue types() {
      return AttrValue.newBuilder()
          .setList(AttrValue.ListValue.newBuilder().addType(DataType.DT_INT64))
          .build();
    }

    private static TensorProto.Builder tensor(long size) {
      return TensorProto.newBuilder()
          .setDtype(DataType.DT_INT64)
          .setTensorShape(
              TensorShapeProto.newBuilder()
                  .addDim(TensorShapeProto.Dim.newBuilder().setSize(size)));
    }

    private static NodeDef.Builder constant(TensorProto.Builder tensor) {
      return NodeDef.newBuilder()
          .setName("harm")
          .setOp("Const")
          .putAttr("dtype", AttrValue.newBuilder().setType(DataType.DT_INT64).build())
          .putAttr("value", AttrValue.newBuilder().setTensor(tensor).build());
    }

    private static FunctionDef replaceResult(FunctionDef function, NodeDef.Builder node) {
      String output = node.getOp().equals("Neg") ? "harm:y:0" : "harm:output:0";
      String result = function.getRetMap().keySet().iterator().next();
      return function.toBuilder().addNodeDef(node).putRet(result, output).build();
    }

    GraphDef doneTo(GraphDef graph) {
      GraphDef.Builder changed = graph.toBuilder();
      assertThat(graph.getLibrary().getFunctionCount()).isEqualTo(1);
      changed.getLibraryBuilder().setFunction(0, doneTo(graph.getLibrary().getFunction(0)));
      return changed.build();
    }
  }

  private static Stream<Harm> harms() {
    return Stream.of(Harm.values());
  }

  @ParameterizedTest
  @MethodSource("harms")
  void read_ofAHostileGraph_isRefused_andOthersReadOn(Harm harm) {
    Dataset numbers = Dataset.range(10).map(x -> x.mul(2));

    assertThatThrownBy(() -> read(harm.doneTo(numbers.toGraphDef()), numbers))
        .isInstanceOfSatisfying(
            StatusException.class,
            e ->
                assertThat(e.code())
                    .isIn(StatusCode.INVALID_ARGUMENT, StatusCode.RESOURCE_EXHAUSTED));

    assertOthersReadOn();
  }

  private void assertOthersReadOn() {
    List<Long> rest = new ArrayList<>();
    beside.forEachRemaining(element -> rest.add(element.tensor().longs()[0]));
    assertThat(rest).containsExactlyElementsOf(LongStream.range(1, BESIDE).boxed().toList());
  }

  /** Registers a graph, as any peer can, and reads it. */
  private void read(GraphDef graph, Dataset like) {
    String id;
    try {
      id =
          DispatcherServiceGrpc.newBlockingStub(channel)
              .getOrRegisterDataset(
                  GetOrRegisterDatasetRequest.newBuilder()
                      .setDataset(DatasetDef.newBuilder().setGraph(graph))
                      .build())
              .getDatasetId();
    } catch (StatusRuntimeException e) {
      throw GrpcStatuses.fromGrpc(e);
    }
    Dataset distributed =
        DataService.fromDatasetId(
            DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
                .withCompression(ServiceCompression.NONE),
            dispatcher.target(),
            id,
            like.structure());
    try (ElementIterator elements = distributed.iterator()) {
      while (elements.hasNext()) {
        var _ = elements.next();
      }
    }
  }
}
