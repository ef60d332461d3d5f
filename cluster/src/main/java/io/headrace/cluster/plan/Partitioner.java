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
 * Cuts the graph of a step into those of its tasks: where an edge leads from one to another, the
 * first sends and the other receives; in a loop, in each iteration ({@link ControlLoops}).
 */
public final class Partitioner {
  private record Crossing(Source source, DeviceSpec task) {}

  private record ControlCrossing(StepNode source, DeviceSpec task) {}

  private final ControlLoops loops;
  private final AtomicLong numbers;
  private final Map<DeviceSpec, List<StepNode>> parts = new LinkedHashMap<>();
  private final Map<Crossing, StepNode> received = new HashMap<>();
  private final Map<ControlCrossing, StepNode> signalled = new HashMap<>();

  private Partitioner(ControlLoops loops, AtomicLong numbers) {
    this.loops = loops;
    this.numbers = numbers;
  }

  /**
   * The graphs by task.
   *
   * @param numbers the session's: names of nodes that are added must differ from step to step
   * @throws StatusException INVALID_ARGUMENT for a resource that would leave its task, and for a
   *     loop over several devices without a condition
   */
  public static Map<DeviceSpec, List<StepNode>> partition(
      List<StepNode> nodes, AtomicLong numbers) {
    ControlFlowPlacement.improve(nodes);
    ControlLoops loops = new ControlLoops(nodes, numbers);
    Partitioner partitioner = new Partitioner(loops, numbers);
    nodes.forEach(partitioner::add);
    loops.nodes().forEach(partitioner::add);
    return partitioner.parts;
  }

  /** The graph of one task. */
  public static GraphDef written(List<StepNode> nodes, SessionGraph session) {
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
    Set<StepNode> pulses = new LinkedHashSet<>();
    for (int i = 0; i < node.inputs.size(); i++) {
      Source source = node.inputs.get(i);
      if (!task(source.node()).equals(task)) {
        StepNode receive = received(source, node.device);
        node.inputs.set(i, new Source(receive, 0));
        awaitPulse(source.node(), receive, node, pulses);
      } else {
        awaitPulse(source.node(), source.node(), node, pulses);
      }
    }
    for (int i = 0; i < node.controls.size(); i++) {
      StepNode control = node.controls.get(i);
      if (!task(control).equals(task)) {
        StepNode arrived = signalled(control, node.device);
        node.controls.set(i, arrived);
        awaitPulse(control, arrived, node, pulses);
      } else {
        awaitPulse(control, control, node, pulses);
      }
    }
    node.controls.addAll(pulses);
  }

  /**
   * Notes what {@code node} is to wait for in a loop where what it takes is at another device of
   * its own task: a stock worker, which cuts its graph by devices, then lets what it receives wait.
   */
  private void awaitPulse(
      StepNode source, StepNode taken, StepNode node, Collection<StepNode> pulses) {
    if (!taken.device.equals(node.device)) {
      StepNode pulse = loops.pulse(source, node.device);
      if (pulse != null) {
        pulses.add(pulse);
      }
    }
  }

  private StepNode received(Source source, ClusterDevice to) {
    return received.computeIfAbsent(
        new Crossing(source, to.spec().taskOnly()), _ -> transfer(source, to, source.node()));
  }

  /**
   * @param cause the node of the graph that sends, which may do so once an iteration
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
    StepNode pulse = loops.pulse(cause, to);
    if (pulse != null) {
      receive.controls.add(pulse);
    }
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
