package io.headrace.cli;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.rpc.GrpcChannels;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A client that sends the calls of a stock client. */
final class FakeStockClient implements AutoCloseable {
  private final ManagedChannel channel;
  private final DispatcherServiceBlockingStub stub;

  FakeStockClient(int port) {
    channel = GrpcChannels.open("localhost:" + port);
    stub = DispatcherServiceGrpc.newBlockingStub(channel);
  }

  /** Registers a dataset whose node's name tells it from others. */
  String register(String node) {
    NodeDef only = NodeDef.newBuilder().setName(node).setOp("RangeDataset").build();
    return stub.getOrRegisterDataset(
            GetOrRegisterDatasetRequest.newBuilder()
                .setDataset(DatasetDef.newBuilder().setGraph(GraphDef.newBuilder().addNode(only)))
                .setMetadata(DataServiceMetadata.getDefaultInstance())
                .build())
        .getDatasetId();
  }

  String nodeOf(String dataset) {
    return stub.getDatasetDef(GetDatasetDefRequest.newBuilder().setDatasetId(dataset).build())
        .getDatasetDef()
        .getGraph()
        .getNode(0)
        .getName();
  }

  long job(String dataset) {
    return stub.getOrCreateJob(
            GetOrCreateJobRequest.newBuilder().setDatasetId(dataset).setJobName("job").build())
        .getJobId();
  }

  /** Registers until the dispatcher is gone; collects its answers in {@code nodes}. */
  void flood(int caller, Map<String, String> nodes, CountDownLatch enough) {
    try {
      for (int i = 0; ; i++) {
        String node = "node_" + caller + "_" + i;
        nodes.put(register(node), node);
        enough.countDown();
      }
    } catch (StatusRuntimeException e) {
      // The dispatcher was killed.
    }
  }

  @Override
  public void close() {
    GrpcChannels.close(channel);
  }
}
