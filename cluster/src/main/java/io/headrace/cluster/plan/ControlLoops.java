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
 * What lets several devices go through the iterations of a loop together.
 *
 * <p>A device knows of an iteration only by what enters it there, and one that receives in a loop
 * must know whether there is something to receive. So each device that takes part in a loop by an
 * edge from or to another gets a loop of its own around a value that nobody looks at, named {@code
 * _cloop...}: it goes on for as long as the condition says, which is sent to it like any tensor,
 * and its Merge, which runs once an iteration, lets receive what is to be received in it. The
 * loop's Enter takes the Merge of the loop around it, rather than what that one's Switch passes on:
 * where the inner loop is not run the other device sends dead tensors, which must be received, too.
 *
 * <p>These are devices and not tasks, as a stock worker cuts its graph by devices and expects from
 * the master what holds loops together.
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
   * The loops that {@code nodes} need where they are.
   *
   * @param numbers make the names of added nodes unique
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
   * What runs at {@code device} once in each iteration in which {@code source} does, which is at
   * another device; null if that one is in no loop.
   */
  @Nullable StepNode pulse(StepNode source, ClusterDevice device) {
    Loop loop = frames.ofOutputs(source);
    return loop == null ? null : merges.get(new Key(loop, device));
  }

  /** Lets a device that sends know of the iterations, unless the condition is its own. */
  private void follow(Loop loop, ClusterDevice device) {
    for (Loop at = loop; at != null; at = at.outer) {
      if (!condition(at).device.equals(device)) {
        var _ = merge(at, device);
        return; // which has seen to those around it
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
