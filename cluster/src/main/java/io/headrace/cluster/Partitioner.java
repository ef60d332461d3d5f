package io.headrace.cluster;

import io.headrace.cluster.DeviceSet.ClusterDevice;
import io.headrace.cluster.StepNode.Source;
import io.headrace.cluster.StepNode.Transfer;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Cuts the graph of a step into those of its tasks: where an edge leads from one to another, the
 * first sends and the other receives.
 */
final class Partitioner {
  private record Crossing(Source source, DeviceSpec task) {}

  private record ControlCrossing(StepNode source, DeviceSpec task) {}

  private final List<StepNode> nodes;
  private final AtomicLong numbers;
  private final Map<DeviceSpec, List<StepNode>> parts = new LinkedHashMap<>();
  private final Map<Crossing, StepNode> received = new HashMap<>();
  private final Map<ControlCrossing, StepNode> signalled = new HashMap<>();

  private Partitioner(List<StepNode> nodes, AtomicLong numbers) {
    this.nodes = nodes;
    this.numbers = numbers;
  }

  /**
   * The graphs by task.
   *
   * @param numbers the session's: names of nodes that are added must differ from step to step
   */
  static Map<DeviceSpec, List<StepNode>> partition(List<StepNode> nodes, AtomicLong numbers) {
    Partitioner partitioner = new Partitioner(nodes, numbers);
    partitioner.checkLoops();
    List.copyOf(nodes).forEach(partitioner::add);
    return partitioner.parts;
  }

  /** The graph of one task. */
  static GraphDef written(List<StepNode> nodes, SessionGraph session) {
    GraphDef.Builder graph =
        GraphDef.newBuilder().setVersions(session.versions()).setLibrary(session.library());
    nodes.forEach(node -> graph.addNode(node.written()));
    return graph.build();
  }

  private static DeviceSpec task(StepNode node) {
    return node.device.spec().taskOnly();
  }

  private List<StepNode> part(DeviceSpec task) {
    return parts.computeIfAbsent(task, _ -> new ArrayList<>());
  }

  private void add(StepNode node) {
    DeviceSpec task = task(node);
    part(task).add(node);
    for (int i = 0; i < node.inputs.size(); i++) {
      Source source = node.inputs.get(i);
      if (!task(source.node()).equals(task)) {
        node.inputs.set(i, new Source(received(source, node.device), 0));
      }
    }
    for (int i = 0; i < node.controls.size(); i++) {
      StepNode control = node.controls.get(i);
      if (!task(control).equals(task)) {
        node.controls.set(i, signalled(control, node.device));
      }
    }
  }

  private StepNode received(Source source, ClusterDevice to) {
    return received.computeIfAbsent(
        new Crossing(source, to.spec().taskOnly()), _ -> transfer(source, to));
  }

  private StepNode transfer(Source source, ClusterDevice to) {
    StepNode from = source.node();
    DataType dtype = from.outputTypes.get(source.output());
    if (dtype == DataType.RESOURCE) {
      throw StatusException.invalidArgument(
          "node %s gives a resource, which can't leave its task %s", from.name, task(from));
    }
    long number = numbers.incrementAndGet();
    Transfer transfer = new Transfer("edge_" + number + "_" + from.name, from.device, to, false);
    part(task(from)).add(StepNode.send(from.name + "_S" + number, source, transfer));
    StepNode receive =
        StepNode.receive(from.name + "_S" + numbers.incrementAndGet(), dtype, transfer);
    part(to.spec().taskOnly()).add(receive);
    return receive;
  }

  private StepNode signalled(StepNode source, ClusterDevice to) {
    return signalled.computeIfAbsent(
        new ControlCrossing(source, to.spec().taskOnly()), _ -> signal(source, to));
  }

  /** A control edge: an empty tensor, sent after {@code source} has run. */
  private StepNode signal(StepNode source, ClusterDevice to) {
    String name = source.name + "/ctrl_S" + numbers.incrementAndGet();
    NodeDef constant =
        NodeDef.newBuilder()
            .setOp("Const")
            .putAttr("dtype", StepNode.type(DataType.FLOAT32))
            .putAttr(
                "value",
                AttrValue.newBuilder()
                    .setTensor(TensorProtos.write(Tensor.vector(new float[0])))
                    .build())
            .build();
    StepNode token = new StepNode(name, constant, source.device, List.of(DataType.FLOAT32));
    token.controls.add(source);
    part(task(source)).add(token);
    StepNode receive = transfer(new Source(token, 0), to);
    NodeDef identity =
        NodeDef.newBuilder()
            .setOp("Identity")
            .putAttr("T", StepNode.type(DataType.FLOAT32))
            .build();
    StepNode arrived =
        new StepNode(
            source.name + "_S" + numbers.incrementAndGet(),
            identity,
            to,
            List.of(DataType.FLOAT32));
    arrived.inputs.add(new Source(receive, 0));
    part(to.spec().taskOnly()).add(arrived);
    return arrived;
  }

  /** Fails if a loop of TensorFlow 1 lies at more than one task. */
  private void checkLoops() {
    Map<StepNode, List<StepNode>> consumers = new HashMap<>();
    Deque<StepNode> work = new ArrayDeque<>();
    for (StepNode node : nodes) {
      node.inputs.forEach(
          source -> consumers.computeIfAbsent(source.node(), _ -> new ArrayList<>()).add(node));
      if (node.definition.getOp().endsWith("Enter")) {
        work.add(node);
      }
    }
    Set<StepNode> seen = new HashSet<>(work);
    while (!work.isEmpty()) {
      StepNode node = work.remove();
      if (node.definition.getOp().endsWith("Exit")) {
        continue;
      }
      for (StepNode consumer : consumers.getOrDefault(node, List.of())) {
        if (!task(consumer).equals(task(node))) {
          throw StatusException.unimplemented(
              "a loop over several tasks is not supported: it goes from node %s at %s to node %s at"
                  + " %s",
              node.name, task(node), consumer.name, task(consumer));
        }
        if (seen.add(consumer)) {
          work.add(consumer);
        }
      }
    }
  }
}
