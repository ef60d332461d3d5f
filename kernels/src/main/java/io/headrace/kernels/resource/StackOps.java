package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * StackV2 and its ops, and Stack with those by reference: stacks of one step, on which TensorFlow
 * 1's while loops keep forward values for their gradients.
 */
final class StackOps {
  private static final String NAME = "stack_name: string = ''";

  private StackOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    ops.add(
        HandleForm.RESOURCE
            .creatingOpNamed("StackV2", "max_size: int32", "handle")
            .attrs("elem_type: type", NAME)
            .kernel(StackOps::create));
    ops.add(
        HandleForm.REFERENCE
            .creatingOp("Stack", "handle")
            .attrs("elem_type: type", NAME)
            .kernel(StackOps::create));
    for (HandleForm form : HandleForm.values()) {
      addUsing(form, ops);
    }
    return ops;
  }

  /** The ops that take a handle of a stack. */
  private static void addUsing(HandleForm form, List<Op> ops) {
    ops.add(
        form.handleOp("StackPush", "handle", ", elem: T", "output: T")
            .attrs("T: type", "swap_memory: bool = false")
            .shape(in -> List.of(in.shape(1)))
            .stateless(call -> {
              TensorStack.of(call.input(0)).push(call.input(1));
              call.setOutput(0, call.input(1));
            }));
    ops.add(
        form.handleOp("StackPop", "handle", "", "elem: elem_type")
            .attrs("elem_type: type")
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              DataType type = node.attrs().type("elem_type");
              return call -> call.setOutput(0, TensorStack.of(call.input(0)).pop(type));
            }));
    ops.add(
        form.handleOp("StackClose", "handle")
            .stateless(call -> TensorStack.of(call.input(0)).close()));
  }

  private static Kernel.Sync create(NodeSpec node) {
    DataType type = node.attrs().type("elem_type");
    String given = node.attrs().string("stack_name");
    String name = given.isEmpty() ? node.name() : given;
    return call -> {
      int limit = call.inputs() == 0 ? Integer.MAX_VALUE : limit(call.input(0));
      call.setOutput(0, Tensor.resource(new TensorStack(name, type, limit)));
    };
  }

  private static int limit(Tensor size) {
    if (size.shape().rank() != 0) {
      throw invalidArgument("Stack size must be a scalar, but had shape: %s", size.shape());
    }
    int limit = (int) size.integer(0);
    return limit < 0 ? Integer.MAX_VALUE : limit;
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
