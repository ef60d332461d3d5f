package io.headrace.runtime.execute;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of a prepared graph. Modified only during preparation, except for its cost. */
final class GraphNode {
  /** The cost above which a node is dispatched to another thread if other nodes are ready. */
  static final long EXPENSIVE_NANOS = 10_000;

  private static final long SLOW_NANOS = 100_000;

  /** The weight of the previous average in the moving average of costs, in tenths. */
  private static final int COST_MEMORY = 9;

  /** The executor's treatment of a node. */
  enum Kind {
    /** Calls its kernel. */
    KERNEL,
    /** Switch: forwards its input to one of two outputs. */
    SWITCH,
    /**
     * _SwitchN: forwards its input to the output of an index, or to the last output if the index is
     * out of range.
     */
    SWITCH_N,
    /** Merge: forwards the first input that arrives. */
    MERGE,
    /** Enter: forwards its input into a child frame. */
    ENTER,
    /** Exit: forwards its input to the parent frame. */
    EXIT,
    /** NextIteration: forwards its input to the next iteration of its frame. */
    NEXT_ITERATION,
    /** Identity, LoopCond: forwards its input; for a reference, an {@link ReferenceAlias}. */
    PASS,
    /** ControlTrigger: waits for its control inputs, dead ones included. */
    CONTROL_TRIGGER,
    /** _Send: sends its input through the rendezvous. */
    SEND,
    /** _Recv: receives its output from the rendezvous. */
    RECEIVE,
    /** _Arg: an argument of the call that the run executes. */
    ARGUMENT,
    /** _Retval: a result of that call. */
    RESULT;

    static Kind of(String op) {
      return switch (op) {
        case "Switch", "RefSwitch" -> SWITCH;
        case "_SwitchN" -> SWITCH_N;
        case "Merge", "RefMerge" -> MERGE;
        case "Enter", "RefEnter" -> ENTER;
        case "Exit", "RefExit" -> EXIT;
        case "NextIteration", "RefNextIteration" -> NEXT_ITERATION;
        case "Identity", "LoopCond" -> PASS;
        case "ControlTrigger" -> CONTROL_TRIGGER;
        case "_Send", "_HostSend" -> SEND;
        case "_Recv", "_HostRecv" -> RECEIVE;
        case "_Arg" -> ARGUMENT;
        case "_Retval" -> RESULT;
        default -> KERNEL;
      };
    }

    /** Whether {@code op} is one of TensorFlow 1's control flow, which only the executor runs. */
    static boolean isControlFlow(String op) {
      return switch (of(op)) {
        case SWITCH, SWITCH_N, MERGE, ENTER, EXIT, NEXT_ITERATION, CONTROL_TRIGGER -> true;
        case PASS -> op.equals("LoopCond");
        case KERNEL, SEND, RECEIVE, ARGUMENT, RESULT -> false;
      };
    }

    boolean isTransfer() {
      return this == SEND || this == RECEIVE;
    }
  }

  /** The concurrency of calls of a synchronous kernel. */
  enum Calls {
    /** Concurrent calls. */
    SHARED,
    /** One call at a time. */
    EXCLUSIVE,
    /**
     * On a virtual thread outside of the pool, since the kernel, or a function it calls, may wait
     * for other steps.
     */
    VIRTUAL_THREAD
  }

  /** A consumer of an output: input {@code slot} of {@code node}. */
  record Edge(GraphNode node, int slot) {}

  final NodeSpec spec;
  final Kind kind;

  /** Null for a node of a function, which runs where its caller runs. */
  final @Nullable NodePlacement place;

  final @Nullable Kernel kernel;

  final Calls calls;

  /** For each input, whether it is a reference that this node reads. */
  final boolean[] reads;

  final List<List<Edge>> outputs = new ArrayList<>();
  final List<GraphNode> controlOutputs = new ArrayList<>();

  /** For transfers: the rendezvous key without frame and iteration. */
  final String keyPrefix;

  /**
   * The count that makes the node ready: inputs plus control inputs; for a merge, 1 for an input
   * plus 2 per control input.
   */
  int pending;

  int controlInputs;
  @Nullable Frame frame;

  /** The names of its input tensors in the graph. */
  List<String> inputNames = List.of();

  /** For an Enter: the child frame. */
  @Nullable Frame inner;

  boolean isConstantEnter;

  /** The index of the node within its frame. */
  int index;

  /** The index of its first input among the inputs of its frame. */
  int firstInput;

  /** The moving average of the call's duration; races are harmless. */
  long costNanos;

  private boolean wasSlow;

  GraphNode(
      NodeSpec spec,
      Kind kind,
      @Nullable NodePlacement place,
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
   * Updates the moving average. A single outlier is ignored, since the thread may have been
   * preempted.
   */
  void noteCost(long nanos) {
    boolean isSlow = nanos > SLOW_NANOS;
    if (!isSlow || wasSlow) {
      costNanos = (costNanos * COST_MEMORY + nanos) / (COST_MEMORY + 1);
    }
    wasSlow = isSlow;
  }

  /** Whether the node may wait for others, of its step or of other steps. */
  boolean mayWait() {
    return calls == Calls.VIRTUAL_THREAD || kernel instanceof Kernel.Async;
  }

  /** Whether the node finishes quickly, apart from waiting for a received tensor. */
  boolean isQuick() {
    return switch (kind) {
      case KERNEL ->
          kernel instanceof Kernel.Sync && calls == Calls.SHARED && costNanos < EXPENSIVE_NANOS;
      case SWITCH, SWITCH_N, MERGE, PASS, CONTROL_TRIGGER, SEND, RECEIVE, ARGUMENT, RESULT -> true;
      case ENTER, EXIT, NEXT_ITERATION -> false;
    };
  }

  @Override
  public String toString() {
    return spec.name();
  }
}
