package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Outputs;
import io.headrace.kernels.random.Philox;
import io.headrace.kernels.random.PhiloxStream;
import io.headrace.kernels.resource.TensorQueue.Kind;
import io.headrace.kernels.resource.TensorQueue.Spec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue, and the ops that enqueue, dequeue
 * and close. A queue is looked up by its container and shared name; without a shared name it
 * belongs to its node. Each op is declared in both {@linkplain HandleForm forms}.
 */
final class QueueOps {
  private static final String REMARK = "A cancelled call puts back the elements it had taken.";

  private final HandleForm form;
  private final LongSupplier entropy;

  private QueueOps(HandleForm form, LongSupplier entropy) {
    this.form = form;
    this.entropy = entropy;
  }

  static List<Op> ops(LongSupplier entropy) {
    List<Op> ops = new ArrayList<>();
    for (HandleForm form : HandleForm.values()) {
      QueueOps queues = new QueueOps(form, entropy);
      ops.addAll(queues.makers());
      ops.addAll(queues.users());
    }
    return ops;
  }

  private List<Op> makers() {
    return List.of(
        maker(Kind.FIFO, "component_types: list(type)", "shapes: list(shape) = []"),
        maker(
            Kind.RANDOM_SHUFFLE,
            "component_types: list(type)",
            "shapes: list(shape) = []",
            "min_after_dequeue: int = 0",
            "seed: int = 0",
            "seed2: int = 0"),
        maker(Kind.PADDING_FIFO, "component_types: list(type)", "shapes: list(shape) = []"),
        maker(Kind.PRIORITY, "component_types: list(type) = []", "shapes: list(shape)"));
  }

  private List<Op> users() {
    return List.of(
        enqueue("QueueEnqueue", TensorQueue::enqueue),
        enqueue("QueueEnqueueMany", TensorQueue::enqueueMany),
        dequeue("QueueDequeue", "")
            .waiting(node ->
                call -> {
                  TensorQueue queue = matching(node, call);
                  return Outputs.set(call, queue.dequeue(call.cancellation()));
                }),
        dequeueMany("QueueDequeueMany", "DequeueManyOp", false),
        dequeueMany("QueueDequeueUpTo", "DequeueUpToOp", true),
        form.handleOp("QueueClose", "handle")
            .attrs("cancel_pending_enqueues: bool = false")
            .waiting(node -> {
              boolean cancels = node.attrs().bool("cancel_pending_enqueues");
              return call ->
                  Outputs.set(
                      call, TensorQueue.of(call.input(0)).close(cancels, call.cancellation()));
            }),
        form.handleOp("QueueSize", "handle", "", "size: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(
                call -> call.setOutput(0, Tensor.scalar(TensorQueue.of(call.input(0)).size()))),
        form.handleOp("QueueIsClosed", "handle", "", "is_closed: bool")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(0, Tensor.scalar(TensorQueue.of(call.input(0)).isClosed()))));
  }

  private Op maker(Kind kind, String... attrs) {
    return form.creatingOp(kind.opName(), "handle")
        .attrs(attrs)
        .attrs("capacity: int = -1", "container: string = ''", "shared_name: string = ''")
        .kernel(node -> queue(node, kind));
  }

  private Kernel.Sync queue(NodeSpec node, Kind kind) {
    Spec spec = spec(node, kind);
    return SharedResource.kernel(
        node,
        TensorQueue.class,
        name -> new TensorQueue(name, spec, store(node, kind)),
        found -> checkSame(found, spec, node));
  }

  private static Spec spec(NodeSpec node, Kind kind) {
    Attrs attrs = node.attrs();
    long capacity = attrs.integer("capacity");
    int limit = capacity < 0 ? Integer.MAX_VALUE : Math.toIntExact(capacity);
    long kept = kind == Kind.RANDOM_SHUFFLE ? attrs.integer("min_after_dequeue") : 0;
    if (kept < 0 || (kept > 0 && kept >= limit)) {
      throw invalidArgument(
          "min_after_dequeue %d must be at least 0 and less than capacity %d (node %s)",
          kept, limit, node.name());
    }
    List<DataType> types = new ArrayList<>(attrs.types("component_types"));
    List<Shape> shapes = new ArrayList<>(attrs.shapes("shapes"));
    if (kind == Kind.PRIORITY) {
      types.addFirst(DataType.INT64);
      if (!shapes.isEmpty() || types.size() == 1) {
        shapes.addFirst(Shape.SCALAR);
      }
    }
    boolean needsShapes = kind == Kind.PADDING_FIFO || !shapes.isEmpty();
    if (needsShapes && shapes.size() != types.size()) {
      throw invalidArgument(
          "Shapes must be provided for all components, but received %d dtypes and %d shapes.",
          types.size(), shapes.size());
    }
    if (types.isEmpty()) {
      throw invalidArgument("a queue must have a component: node %s", node.name());
    }
    for (Shape shape : shapes) {
      if (shape.isUnknownRank() || (!shape.isKnown() && kind != Kind.PADDING_FIFO)) {
        throw invalidArgument(
            "shape %s of a component of %s is not known: node %s",
            shape, kind.opName(), node.name());
      }
    }
    return new Spec(kind, limit, (int) kept, List.copyOf(types), List.copyOf(shapes));
  }

  private ElementStore store(NodeSpec node, Kind kind) {
    return switch (kind) {
      case FIFO, PADDING_FIFO -> new ElementStore.Fifo();
      case PRIORITY -> new ElementStore.Prioritized();
      case RANDOM_SHUFFLE -> {
        long seed = node.attrs().integer("seed");
        long seed2 = node.attrs().integer("seed2");
        yield new ElementStore.Shuffled(new PhiloxStream(Philox.ofSeedAttrs(seed, seed2, entropy)));
      }
    };
  }

  /** INVALID_ARGUMENT unless a shared queue matches the attrs of {@code node}. */
  private static void checkSame(TensorQueue found, Spec asked, NodeSpec node) {
    Spec has = found.spec();
    if (has.kind() != asked.kind()) {
      throw invalidArgument("Expected %s, found %s", has.kind().opName(), node.op().name());
    }
    checkSame(found, "capacity", has.capacity(), "capacity was", asked.capacity());
    checkSame(
        found,
        "min_after_dequeue",
        has.minAfterDequeue(),
        "min_after_dequeue was",
        asked.minAfterDequeue());
    checkSame(
        found, "component types", names(has.types()), "component types were", names(asked.types()));
    checkSame(found, "component shapes", has.shapes(), "component shapes were", asked.shapes());
  }

  private static void checkSame(
      TensorQueue queue, String what, Object has, String whatWas, Object asked) {
    if (!has.equals(asked)) {
      throw invalidArgument(
          "Shared queue '%s' has %s %s but requested %s %s",
          queue.name(), what, has, whatWas, asked);
    }
  }

  /** Enqueues the components of a call. */
  @FunctionalInterface
  private interface Enqueuer {
    CompletableFuture<List<Tensor>> add(
        TensorQueue queue, List<Tensor> components, Cancellation cancellation);
  }

  private Op enqueue(String name, Enqueuer enqueuer) {
    return form.handleOp(name, "handle", ", components: [Tcomponents]", "")
        .attrs("Tcomponents: list(type)", "timeout_ms: int = -1")
        .waiting(node -> {
          checkTimeout(node);
          return call -> {
            List<Tensor> components = new ArrayList<>();
            for (int i = 1; i < call.inputs(); i++) {
              components.add(call.input(i));
            }
            TensorQueue queue = TensorQueue.of(call.input(0));
            List<DataType> given = components.stream().map(Tensor::dtype).toList();
            if (!given.equals(queue.spec().types())) {
              throw mismatch(
                  form.typeName() + ", " + names(given) + "->",
                  form.typeName() + ", " + names(queue.spec().types()) + "->");
            }
            return Outputs.set(call, enqueuer.add(queue, components, call.cancellation()));
          };
        });
  }

  private Op.Builder dequeue(String name, String moreInputs) {
    return form.handleOp(name, "handle", moreInputs, "components: [component_types]")
        .attrs("component_types: list(type)", "timeout_ms: int = -1");
  }

  private Op dequeueMany(String name, String messageName, boolean upTo) {
    return dequeue(name, ", n: int32")
        .remark(REMARK)
        .waiting(node -> {
          checkTimeout(node);
          return call -> {
            int count = (int) call.input(1).integer(0);
            if (count < 0) {
              throw invalidArgument("%s requested %d < 0 elements", messageName, count);
            }
            TensorQueue queue = matching(node, call);
            return Outputs.set(call, queue.dequeueMany(count, upTo, call.cancellation()));
          };
        });
  }

  private static void checkTimeout(NodeSpec node) {
    if (node.attrs().integer("timeout_ms") != -1) {
      throw invalidArgument("Timeout not supported yet.");
    }
  }

  /**
   * The queue of a dequeue call; INVALID_ARGUMENT unless its components match the attrs of {@code
   * node}.
   */
  private TensorQueue matching(NodeSpec node, KernelCall call) {
    TensorQueue queue = TensorQueue.of(call.input(0));
    List<DataType> asked = node.attrs().types("component_types");
    if (!asked.equals(queue.spec().types())) {
      String inputs = form.typeName() + (call.inputs() > 1 ? ", int32" : "") + "->";
      throw mismatch(inputs + names(asked), inputs + names(queue.spec().types()));
    }
    return queue;
  }

  private static RuntimeException mismatch(String have, String expected) {
    return invalidArgument("Signature mismatch, have: %s expected: %s", have, expected);
  }

  private static String names(List<DataType> types) {
    return types.stream().map(DataType::tfName).collect(Collectors.joining(", "));
  }
}
