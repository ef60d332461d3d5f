package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.cluster.plan.LoopFrames.Loop;
import io.headrace.cluster.plan.StepNode.Source;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Control loops: they keep the devices of a distributed while loop in step.
 *
 * <p>A device starts an iteration only when a tensor enters it there, and a _Recv inside a loop
 * must know whether there is a tensor to receive. So each device with an edge from or to another
 * device in a loop gets a control loop of its own around a dummy value, named {@code _cloop...}. It
 * runs for as long as the loop's condition, which is sent to it like any tensor, is true. Its Merge
 * runs once in each iteration and triggers that iteration's _Recv nodes. Its Enter takes the Merge
 * of the enclosing control loop rather than the output of that loop's Switch: if the inner loop is
 * not run, the other device sends dead tensors, which must be received, too.
 *
 * <p>A control loop is made for each device, not for each task, because a stock worker partitions
 * its graph by device and expects the control loops to come from the master.
 */
final class ControlLoops {
  private static final String PREFIX = "_cloop";
  private static final AttrValue FLOAT = StepNode.type(DataType.FLOAT32);

  private record Key(Loop loop, ClusterDevice device) {}

  private final LoopFrames frames;
  private final AtomicLong numbers;
  private final Map<Key, StepNode> merges = new HashMap<>();
  private final List<StepNode> added = new ArrayList<>();

  /**
   * The control loops that {@code nodes} need on their devices.
   *
   * @param numbers the source of unique suffixes for the names of added nodes
   * @throws StatusException INVALID_ARGUMENT for a loop over several devices without a LoopCond
   */
  ControlLoops(List<StepNode> nodes, AtomicLong numbers) {
    this.frames = new LoopFrames(nodes);
    this.numbers = numbers;
    for (StepNode node : nodes) {
      for (StepNode source : node.sources()) {
        Loop loop = frames.ofOutputs(source);
        if (loop != null && !source.device.equals(node.device)) {
          var _ = merge(loop, node.device);
          follow(loop, source.device);
        }
      }
    }
  }

  /** The nodes that were added. */
  List<StepNode> nodes() {
    return added;
  }

  /**
   * The node on {@code device} that runs once in each iteration of the loop of {@code source}, a
   * node on another device; null if {@code source} is in no loop.
   */
  @Nullable StepNode trigger(StepNode source, ClusterDevice device) {
    Loop loop = frames.ofOutputs(source);
    return loop == null ? null : merges.get(new Key(loop, device));
  }

  /** Adds a control loop on a sending device, unless the condition runs there. */
  private void follow(Loop loop, ClusterDevice device) {
    for (Loop at = loop; at != null; at = at.outer) {
      if (!condition(at).device.equals(device)) {
        var _ = merge(at, device);
        return; // merge() has added the enclosing loops
      }
    }
  }

  private static StepNode condition(Loop loop) {
    StepNode condition = loop.condition;
    if (condition == null) {
      throw StatusException.invalidArgument(
          "A cross-device loop must have a pivot predicate: %s", loop.name);
    }
    return condition;
  }

  private StepNode merge(Loop loop, ClusterDevice device) {
    StepNode known = merges.get(new Key(loop, device));
    if (known != null) {
      return known;
    }
    StepNode condition = condition(loop);
    NodeDef.Builder definition = op("Enter").putAttr("frame_name", StepNode.text(loop.name));
    AttrValue parallel = loop.parallelIterations;
    if (parallel != null) {
      definition.putAttr("parallel_iterations", parallel);
    }
    StepNode enter = add(definition, condition, device, DataType.FLOAT32);
    enter.inputs.add(
        new Source(loop.outer == null ? token(condition, device) : merge(loop.outer, device), 0));
    StepNode merge =
        add(
            op("Merge").putAttr("N", AttrValue.newBuilder().setI(2).build()),
            condition,
            device,
            DataType.FLOAT32,
            DataType.INT32);
    merges.put(new Key(loop, device), merge);
    StepNode branch = add(op("Switch"), condition, device, DataType.FLOAT32, DataType.FLOAT32);
    StepNode next = add(op("NextIteration"), condition, device, DataType.FLOAT32);
    merge.inputs.add(new Source(enter, 0));
    merge.inputs.add(new Source(next, 0));
    branch.inputs.add(new Source(merge, 0));
    branch.inputs.add(new Source(condition, 0));
    next.inputs.add(new Source(branch, 1));
    return merge;
  }

  private StepNode token(StepNode condition, ClusterDevice device) {
    StepNode token = StepNode.token(name(condition), device);
    added.add(token);
    return token;
  }

  private static NodeDef.Builder op(String name) {
    return NodeDef.newBuilder().setOp(name).putAttr("T", FLOAT);
  }

  private StepNode add(
      NodeDef.Builder definition, StepNode condition, ClusterDevice device, DataType... outputs) {
    StepNode node = new StepNode(name(condition), definition.build(), device, List.of(outputs));
    added.add(node);
    return node;
  }

  private String name(StepNode condition) {
    return PREFIX + condition.name + "_S" + numbers.incrementAndGet();
  }
}
