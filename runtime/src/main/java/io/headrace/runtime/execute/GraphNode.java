package io.headrace.runtime.execute;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node as a {@link GraphExecutor} runs it. Written to only while a graph is prepared. */
final class GraphNode {
  /** Nodes that cost more run on a thread of their own if others are ready with them. */
  static final long EXPENSIVE_NANOS = 10_000;

  private static final long SLOW_NANOS = 100_000;

  /** How much of a cost is what it was before, of ten. */
  private static final int COST_MEMORY = 9;

  /** What the executor does with a node. */
  enum Kind {
    /** Calls its kernel. */
    KERNEL,
    /** Passes its input to one of its outputs. */
    SWITCH,
    /** Passes its input to the output that another one counts to, and so to the last one. */
    CHOICE,
    /** Passes on whichever input comes. */
    MERGE,
    /** Passes its input into a frame. */
    ENTER,
    /** Passes its input out of its frame. */
    EXIT,
    /** Passes its input to the next iteration of its frame. */
    NEXT_ITERATION,
    /** Passes its input on: of a reference, an {@link Alias}. */
    PASS,
    /** Only waits for its control inputs, dead ones, too. */
    CONTROL_TRIGGER,
    /** Hands its input to the rendezvous. */
    SEND,
    /** Takes its output from the rendezvous. */
    RECEIVE;

    static Kind of(String op) {
      return switch (op) {
        case "Switch", "RefSwitch" -> SWITCH;
        case "_SwitchN" -> CHOICE;
        case "Merge", "RefMerge" -> MERGE;
        case "Enter", "RefEnter" -> ENTER;
        case "Exit", "RefExit" -> EXIT;
        case "NextIteration", "RefNextIteration" -> NEXT_ITERATION;
        case "Identity", "LoopCond" -> PASS;
        case "ControlTrigger" -> CONTROL_TRIGGER;
        case "_Send", "_HostSend" -> SEND;
        case "_Recv", "_HostRecv" -> RECEIVE;
        default -> KERNEL;
      };
    }

    boolean isTransfer() {
      return this == SEND || this == RECEIVE;
    }
  }

  /** How a kernel that is done when it returns is called. */
  enum Calls {
    /** By several threads at once. */
    SHARED,
    /** By one thread at a time. */
    EXCLUSIVE,
    /** Apart from the pool, since it, or functions that it calls, may wait for other steps. */
    ON_A_THREAD_OF_THEIR_OWN
  }

  /** A target of an output: input {@code slot} of {@code node}. */
  record Edge(GraphNode node, int slot) {}

  final NodeSpec spec;
  final Kind kind;
  final Place place;
  final @Nullable Kernel kernel;

  final Calls calls;

  /** For each input, whether a reference comes that is to be read. */
  final boolean[] reads;

  final List<List<Edge>> outputs = new ArrayList<>();
  final List<GraphNode> controlOutputs = new ArrayList<>();

  /** For transfers: the rendezvous key up to the iteration. */
  final String keyPrefix;

  /** What it waits for: inputs and control inputs; a merge for half a one, and control inputs. */
  int pending;

  int controlInputs;
  @Nullable Frame frame;

  /** The tensors that it takes, by their names in the graph. */
  List<String> inputNames = List.of();

  /** For an Enter: the frame it leads into. */
  @Nullable Frame inner;

  boolean isConstantEnter;

  /** Its place among the nodes of its frame. */
  int index;

  /** The place of its first input among those of its frame. */
  int firstInput;

  /** What a call has cost lately; racy writes do no harm. */
  long costNanos;

  private boolean wasSlow;

  GraphNode(
      NodeSpec spec,
      Kind kind,
      Place place,
      @Nullable Kernel kernel,
      Calls calls,
      String keyPrefix) {
    this.spec = spec;
    this.kind = kind;
    this.place = place;
    this.kernel = kernel;
    this.calls = calls;
    this.keyPrefix = keyPrefix;
    this.reads = new boolean[spec.inputTypes().size()];
    for (int i = 0; i < spec.outputTypes().size(); i++) {
      outputs.add(new ArrayList<>());
    }
  }

  int inputs() {
    return reads.length;
  }

  /**
   * Notes what a call has cost. One that was far slower than others may only have lost its turn.
   */
  void noteCost(long nanos) {
    boolean isSlow = nanos > SLOW_NANOS;
    if (!isSlow || wasSlow) {
      costNanos = (costNanos * COST_MEMORY + nanos) / (COST_MEMORY + 1);
    }
    wasSlow = isSlow;
  }

  /** Whether it is done soon, without waiting for anything but a tensor. */
  boolean isQuick() {
    return switch (kind) {
      case KERNEL ->
          kernel instanceof Kernel.Sync && calls == Calls.SHARED && costNanos < EXPENSIVE_NANOS;
      case SWITCH, CHOICE, MERGE, PASS, CONTROL_TRIGGER, SEND, RECEIVE -> true;
      case ENTER, EXIT, NEXT_ITERATION -> false;
    };
  }

  @Override
  public String toString() {
    return spec.name();
  }
}
