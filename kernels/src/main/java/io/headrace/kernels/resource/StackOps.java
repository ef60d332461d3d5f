package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * StackV2 and its ops: stacks of one step, on which TensorFlow 1's while loops keep forward values
 * for their gradients.
 */
final class StackOps {
  private StackOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StackV2(max_size: int32) -> handle: resource")
            .attrs("elem_type: type", "stack_name: string = ''")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .kernel(StackOps::create),
        Op.define("StackPushV2(handle: resource, elem: T) -> output: T")
            .attrs("T: type", "swap_memory: bool = false")
            .stateful()
            .shape(in -> List.of(in.shape(1)))
            .stateless(call -> {
              TensorStack.of(call.input(0)).push(call.input(1));
              call.setOutput(0, call.input(1));
            }),
        Op.define("StackPopV2(handle: resource) -> elem: elem_type")
            .attrs("elem_type: type")
            .stateful()
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              DataType type = node.attrs().type("elem_type");
              return call -> call.setOutput(0, TensorStack.of(call.input(0)).pop(type));
            }),
        Op.define("StackCloseV2(handle: resource)")
            .stateful()
            .stateless(call -> TensorStack.of(call.input(0)).close()));
  }

  private static Kernel.Sync create(NodeSpec node) {
    DataType type = node.attrs().type("elem_type");
    String given = node.attrs().string("stack_name");
    String name = given.isEmpty() ? node.name() : given;
    return call -> {
      Tensor size = call.input(0);
      if (size.shape().rank() != 0) {
        throw invalidArgument("Stack size must be a scalar, but had shape: %s", size.shape());
      }
      int limit = (int) size.integer(0);
      call.setOutput(
          0, Tensor.resource(new TensorStack(name, type, limit < 0 ? Integer.MAX_VALUE : limit)));
    };
  }

  /** A stack. Only the handle refers to it, so it lives as long as the step. Thread-safe. */
  private static final class TensorStack {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String name;
    private final DataType type;
    private final int limit;
    private final Deque<Tensor> elements = new ArrayDeque<>();
    private boolean isClosed;

    TensorStack(String name, DataType type, int limit) {
      this.name = name + "_" + NUMBERS.getAndIncrement();
      this.type = type;
      this.limit = limit;
    }

    static TensorStack of(Tensor handle) {
      if (handle.elements() == 1
          && handle.dtype() == DataType.RESOURCE
          && handle.reference(0) instanceof TensorStack stack) {
        return stack;
      }
      throw WrongHandle.of(handle, "stack");
    }

    private void check(DataType given) {
      if (given != type) {
        throw invalidArgument("Must have type %s but got %s", type.tfName(), given.tfName());
      }
      if (isClosed) {
        throw invalidArgument("Stack[%s] has already been closed.", name);
      }
    }

    synchronized void push(Tensor element) {
      check(element.dtype());
      if (elements.size() >= limit) {
        throw invalidArgument("Stack[%s] overflowed its max_size (%d)", name, limit);
      }
      elements.push(element);
    }

    synchronized Tensor pop(DataType asked) {
      check(asked);
      if (elements.isEmpty()) {
        throw invalidArgument("Stack[%s] is empty when calling Pop().", name);
      }
      return elements.pop();
    }

    synchronized void close() {
      isClosed = true;
      elements.clear();
    }
  }
}
