package io.headrace.interop;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The graph of a registered dataset, as workers fetch it. */
final class RegisteredGraph {
  private RegisteredGraph() {}

  /** The op types of dataset {@code datasetId}, in its graph and in its functions. */
  static Set<String> ops(String dispatcher, String datasetId) {
    GraphDef graph = get(dispatcher, datasetId);
    Stream<NodeDef> functions =
        graph.getLibrary().getFunctionList().stream()
            .map(FunctionDef::getNodeDefList)
            .flatMap(nodes -> nodes.stream());
    Set<String> ops = new TreeSet<>();
    Stream.concat(graph.getNodeList().stream(), functions).forEach(node -> ops.add(node.getOp()));
    return ops;
  }

  private static GraphDef get(String dispatcher, String datasetId) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(dispatcher, InsecureChannelCredentials.create())
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
    try {
      return DispatcherServiceGrpc.newBlockingStub(channel)
          .withDeadlineAfter(30, SECONDS)
          .getDatasetDef(GetDatasetDefRequest.newBuilder().setDatasetId(datasetId).build())
          .getDatasetDef()
          .getGraph();
    } finally {
      channel.shutdownNow();
    }
  }
}
