package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Outputs;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Barrier and its ops: elements by key, taken when all their components have been inserted. */
final class BarrierOps {
  private static final HandleForm FORM = HandleForm.REFERENCE;

  private BarrierOps() {}

  static List<Op> ops() {
    return List.of(
        FORM.creatingOp("Barrier", "handle")
            .attrs(
                "component_types: list(type)",
                "shapes: list(shape) = []",
                "capacity: int = -1",
                "container: string = ''",
                "shared_name: string = ''")
            .kernel(BarrierOps::make),
        FORM.handleOp("BarrierInsertMany", "handle", ", keys: string, values: T", "")
            .attrs("T: type", "component_index: int")
            .kernel(BarrierOps::insert),
        FORM.handleOp(
                "BarrierTakeMany",
                "handle",
                ", num_elements: int32",
                "indices: int64, keys: string, values: [component_types]")
            .attrs(
                "component_types: list(type)",
                "allow_small_batch: bool = false",
                "wait_for_incomplete: bool = false",
                "timeout_ms: int = -1")
            .remark("Elements whose keys were inserted together keep their order.")
            .waiting(BarrierOps::take),
        FORM.handleOp("BarrierClose", "handle")
            .attrs("cancel_pending_enqueues: bool = false")
            .kernel(node -> {
              boolean cancels = node.attrs().bool("cancel_pending_enqueues");
              return call -> KeyedBarrier.of(call.input(0)).close(cancels);
            }),
        FORM.handleOp("BarrierReadySize", "handle", "", "size: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(0, Tensor.scalar(KeyedBarrier.of(call.input(0)).readySize()))),
        FORM.handleOp("BarrierIncompleteSize", "handle", "", "size: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(0, Tensor.scalar(KeyedBarrier.of(call.input(0)).incompleteSize()))));
  }

  private static Kernel.Sync make(NodeSpec node) {
    Attrs attrs = node.attrs();
    List<DataType> types = attrs.types("component_types");
    List<Shape> shapes = attrs.shapes("shapes");
    if (types.size() != shapes.size() || !shapes.stream().allMatch(Shape::isKnown)) {
      throw invalidArgument("All of the component shapes must be specified");
    }
    for (Shape shape : shapes) {
      if (shape.elements() == 0) {
        throw invalidArgument("Empty tensors are not supported, but received shape: %s", shape);
      }
    }
    if (attrs.integer("capacity") != -1) {
      throw invalidArgument(
          "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to"
              + " enforce a limited capacity.");
    }
    return SharedResource.kernel(
        node,
        KeyedBarrier.class,
        name -> new KeyedBarrier(name, types, shapes),
        found -> {
          if (!found.types().equals(types) || !found.shapes().equals(shapes)) {
            throw invalidArgument(
                "Shared barrier '%s' has component types %s of shapes %s but requested were %s of"
                    + " %s",
                found.name(), found.types(), found.shapes(), types, shapes);
          }
        });
  }

  private static Kernel.Sync insert(NodeSpec node) {
    int component = (int) node.attrs().integer("component_index");
    return call -> {
      KeyedBarrier barrier = KeyedBarrier.of(call.input(0));
      Tensor keys = call.input(1);
      Tensor values = call.input(2);
      if (component < 0 || component >= barrier.types().size()) {
        throw invalidArgument(
            "The component ID is out of range %d > num_components (= %d)",
            component, barrier.types().size());
      }
      DataType expected = barrier.types().get(component);
      if (values.dtype() != expected) {
        throw invalidArgument(
            "Signature mismatch, have: string_ref, string, %s-> expected: string_ref, string, %s->",
            values.dtype().tfName(), expected.tfName());
      }
      if (values.shape().rank() == 0 || values.shape().size(0) != keys.elements()) {
        throw invalidArgument(
            "Number of keys and values differ: keys have shape %s, values %s",
            keys.shape(), values.shape());
      }
      barrier.insert(component, keys, values);
    };
  }

  private static Kernel.Async take(NodeSpec node) {
    Attrs attrs = node.attrs();
    boolean allowsLess = attrs.bool("allow_small_batch");
    List<DataType> types = attrs.types("component_types");
    if (attrs.integer("timeout_ms") != -1) {
      throw invalidArgument("Timeout not supported yet.");
    }
    return call -> {
      KeyedBarrier barrier = KeyedBarrier.of(call.input(0));
      if (!barrier.types().equals(types)) {
        throw invalidArgument(
            "barrier '%s' has components %s, and %s are asked for",
            barrier.name(), barrier.types(), types);
      }
      return Outputs.set(call, barrier.take(count(call), allowsLess, call.cancellation()));
    };
  }

  private static int count(KernelCall call) {
    Tensor count = call.input(1);
    if (count.shape().rank() != 0) {
      throw invalidArgument(
          "Argument num_elements must be scalar, but had bad shape %s", count.shape());
    }
    if (count.integer(0) < 0) {
      throw invalidArgument("num_elements must not be negative, and is %d", count.integer(0));
    }
    return (int) count.integer(0);
  }
}
