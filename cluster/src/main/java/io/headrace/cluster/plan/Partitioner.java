package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.cluster.plan.StepNode.Source;
import io.headrace.cluster.plan.StepNode.Transfer;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Partitions the graph of a step by task: an edge from one task to another becomes a _Send on the
 * first and a _Recv on the second; inside a loop, they run in each iteration ({@link
 * ControlLoops}).
 */
public final class Partitioner {
  private record Crossing(Source source, DeviceSpec task) {}

  private record ControlCrossing(StepNode source, DeviceSpec task) {}

  private final ControlLoops controlLoops;
  private final AtomicLong numbers;
  private final Map<DeviceSpec, List<StepNode>> parts = new LinkedHashMap<>();
  private final Map<Crossing, StepNode> received = new HashMap<>();
  private final Map<ControlCrossing, StepNode> signalled = new HashMap<>();

  private Partitioner(ControlLoops controlLoops, AtomicLong numbers) {
    this.controlLoops = controlLoops;
    this.numbers = numbers;
  }

  /**
   * The partitions by task.
   *
   * @param numbers the session's counter for the names of added nodes, which must differ from step
   *     to step
   * @throws StatusException INVALID_ARGUMENT for a resource that would have to leave its task, and
   *     for a loop over several devices without a LoopCond
   */
  public static Map<DeviceSpec, List<StepNode>> partition(
      List<StepNode> nodes, AtomicLong numbers) {
    ControlFlowPlacement.apply(nodes);
    ControlLoops controlLoops = new ControlLoops(nodes, numbers);
    Partitioner partitioner = new Partitioner(controlLoops, numbers);
    nodes.forEach(partitioner::add);
    controlLoops.nodes().forEach(partitioner::add);
    return partitioner.parts;
  }

  /** A partition as a GraphDef. */
  public static GraphDef written(List<StepNode> nodes, SessionGraph session) {
    GraphDef.Builder graph =
        GraphDef.newBuilder().setVersions(session.versions()).setLibrary(session.library());
    nodes.forEach(node -> graph.addNode(node.toNodeDef()));
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
    Set<StepNode> triggers = new LinkedHashSet<>();
    for (int i = 0; i < node.inputs.size(); i++) {
      Source source = node.inputs.get(i);
      if (!task(source.node()).equals(task)) {
        StepNode receive = received(source, node.device);
        node.inputs.set(i, new Source(receive, 0));
        addTrigger(source.node(), receive, node, triggers);
      } else {
        addTrigger(source.node(), source.node(), node, triggers);
      }
    }
    for (int i = 0; i < node.controls.size(); i++) {
      StepNode control = node.controls.get(i);
      if (!task(control).equals(task)) {
        StepNode arrived = signalled(control, node.device);
        node.controls.set(i, arrived);
        addTrigger(control, arrived, node, triggers);
      } else {
        addTrigger(control, control, node, triggers);
      }
    }
    node.controls.addAll(triggers);
  }

  /**
   * Collects the control loop trigger for an input from another device of the same task: a stock
   * worker partitions its graph by device, and its _Recv then waits for the trigger.
   */
  private void addTrigger(
      StepNode source, StepNode taken, StepNode node, Collection<StepNode> triggers) {
    if (!taken.device.equals(node.device)) {
      StepNode trigger = controlLoops.trigger(source, node.device);
      if (trigger != null) {
        triggers.add(trigger);
      }
    }
  }

  private StepNode received(Source source, ClusterDevice to) {
    return received.computeIfAbsent(
        new Crossing(source, to.spec().taskOnly()), _ -> transfer(source, to, source.node()));
  }

  /**
   * @param cause the original node that causes the transfer, once an iteration if it is in a loop
   */
  private StepNode transfer(Source source, ClusterDevice to, StepNode cause) {
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
    StepNode trigger = controlLoops.trigger(cause, to);
    if (trigger != null) {
      receive.controls.add(trigger);
    }
    part(to.spec().taskOnly()).add(receive);
    return receive;
  }

  private StepNode signalled(StepNode source, ClusterDevice to) {
    return signalled.computeIfAbsent(
        new ControlCrossing(source, to.spec().taskOnly()), _ -> signal(source, to));
  }

  /** Transfers a control edge: an empty tensor, sent after {@code source} has run. */
  private StepNode signal(StepNode source, ClusterDevice to) {
    String name = source.name + "/ctrl_S" + numbers.incrementAndGet();
    StepNode token = StepNode.token(name, source.device);
    token.controls.add(source);
    part(task(source)).add(token);
    StepNode receive = transfer(new Source(token, 0), to, source);
    String arrival = source.name + "_S" + numbers.incrementAndGet();
    StepNode arrived = StepNode.identity(arrival, to, DataType.FLOAT32);
    arrived.inputs.add(new Source(receive, 0));
    part(to.spec().taskOnly()).add(arrived);
    return arrived;
  }
}
