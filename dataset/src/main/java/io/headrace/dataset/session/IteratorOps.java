package io.headrace.dataset.session;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The ops with which graphs of sessions iterate over datasets. */
public final class IteratorOps implements OpLibrary {
  private static final String[] ELEMENTS = {
    "output_types: list(type)", "output_shapes: list(shape)"
  };

  /** For {@link java.util.ServiceLoader}. */
  public IteratorOps() {}

  @Override
  public List<Op> ops() {
    List<Op> ops = new ArrayList<>(OptionalOps.OPS);
    ops.addAll(makers());
    ops.addAll(readers());
    ops.addAll(stringHandles());
    return List.copyOf(ops);
  }

  /** The kernel of a named iterator, kept from step to step. */
  private static final class Named implements Kernel.Sync, AutoCloseable {
    private final NamedIterator named;

    Named(NodeSpec node) {
      this.named = new NamedIterator(node);
    }

    @Override
    public void compute(KernelCall call) {
      call.setOutput(0, Tensor.resource(named.of(call)));
    }

    @Override
    public void close() {
      named.close();
    }
  }

  private static List<Op> makers() {
    return List.of(
        named("Iterator"),
        named("IteratorV2"),
        anonymous("AnonymousIterator", "handle: resource"),
        anonymous("AnonymousIteratorV2", "handle: resource, deleter: variant"),
        anonymous("AnonymousIteratorV3", "handle: resource"),
        Op.define("OneShotIterator() -> handle: resource")
            .attrs("dataset_factory: func")
            .attrs(ELEMENTS)
            .attrs("container: string = ''", "shared_name: string = ''")
            .stateful()
            .touches(Touch.ELEMENTS)
            .shape(ShapeFunctions.SCALAR)
            .waiting(OneShotIterator::new),
        Op.define("MakeIterator(dataset: variant, iterator: resource)")
            .stateful()
            .touches(Touch.ELEMENTS)
            .shape(_ -> List.of())
            .waiting(_ -> IteratorOps::make),
        Op.define("DeleteIterator(handle: resource, deleter: variant)")
            .stateful()
            .touches(Touch.ELEMENTS)
            .shape(_ -> List.of())
            .stateless(call ->
                IteratorHandles.delete(IteratorHandles.iterator(call.input(0)), call.resources())));
  }

  private static Op named(String name) {
    return Op.define(name + "() -> handle: resource")
        .attrs("shared_name: string", "container: string")
        .attrs(ELEMENTS)
        .stateful()
        .touches(Touch.ELEMENTS)
        .shape(ShapeFunctions.SCALAR)
        .kernel(Named::new);
  }

  private static Op anonymous(String name, String outputs) {
    return Op.define(name + "() -> (" + outputs + ")")
        .attrs(ELEMENTS)
        .stateful()
        .touches(Touch.ELEMENTS)
        .shape(ShapeFunctions.SCALAR)
        .remark("The iterator is deleted with the last tensor that refers to it.")
        .kernel(IteratorOps::anonymous);
  }

  private static Kernel.Sync anonymous(NodeSpec node) {
    ElementTypes types = ElementTypes.of(node.attrs());
    return call -> {
      String name = IteratorHandles.uniqueName(node.name());
      SessionIterator iterator =
          call.resources()
              .lookupOrCreate(
                  "", name, SessionIterator.class, () -> new SessionIterator("", name, types));
      Tensor handle = IteratorHandles.anonymous(iterator, call.resources());
      call.setOutput(0, handle);
      if (node.outputTypes().size() > 1) {
        call.setOutput(1, Tensor.variant(handle.reference(0)));
      }
    };
  }

  private static CompletableFuture<Void> make(KernelCall call) {
    DatasetValue dataset = IteratorHandles.dataset(call.input(0));
    SessionIterator iterator = IteratorHandles.iterator(call.input(1));
    return CompletableFuture.runAsync(
        () -> iterator.begin(dataset, call.step()), DatasetPass.THREADS);
  }

  private static List<Op> readers() {
    return List.of(
        reader("IteratorGetNext"),
        reader("IteratorGetNextSync"),
        Op.define("IteratorGetNextAsOptional(iterator: resource) -> optional: variant")
            .attrs(ELEMENTS)
            .stateful()
            .touches(Touch.ELEMENTS)
            .shape(ShapeFunctions.SCALAR)
            .waiting(_ ->
                call ->
                    IteratorHandles.iterator(call.input(0))
                        .next(call.cancellation())
                        .thenAccept(row -> call.setOutput(0, OptionalOps.variant(row)))));
  }

  private static Op reader(String name) {
    return Op.define(name + "(iterator: resource) -> components: [output_types]")
        .attrs(ELEMENTS)
        .stateful()
        .touches(Touch.ELEMENTS)
        .shape(in -> in.attrs().shapes("output_shapes"))
        .remark("If the call is cancelled, its element goes to the next caller.")
        .waiting(IteratorOps::next);
  }

  private static Kernel.Async next(NodeSpec node) {
    ElementTypes types = ElementTypes.of(node.attrs());
    return call ->
        IteratorHandles.iterator(call.input(0))
            .next(call.cancellation())
            .thenAccept(row -> {
              List<Tensor> components =
                  row.orElseThrow(
                      () -> new StatusException(StatusCode.OUT_OF_RANGE, "End of sequence"));
              types.check(components);
              for (int i = 0; i < components.size(); i++) {
                call.setOutput(i, components.get(i));
              }
            });
  }

  private static List<Op> stringHandles() {
    return List.of(
        Op.define("IteratorToStringHandle(resource_handle: resource) -> string_handle: string")
            .stateful()
            .touches(Touch.ELEMENTS)
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0,
                    IteratorHandles.stringHandle(IteratorHandles.iterator(call.input(0)), call))),
        fromStringHandle("IteratorFromStringHandle"),
        fromStringHandle("IteratorFromStringHandleV2"));
  }

  private static Op fromStringHandle(String name) {
    return Op.define(name + "(string_handle: string) -> resource_handle: resource")
        .attrs("output_types: list(type) = []", "output_shapes: list(shape) = []")
        .stateful()
        .touches(Touch.ELEMENTS)
        .shape(ShapeFunctions.SCALAR)
        .kernel(node -> {
          ElementTypes types = ElementTypes.of(node.attrs());
          return call ->
              call.setOutput(0, Tensor.resource(IteratorHandles.find(call.input(0), types, call)));
        });
  }
}
