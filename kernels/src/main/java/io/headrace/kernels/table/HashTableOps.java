package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.HandleForm;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * HashTable, MutableHashTable, MutableHashTableOfTensors, MutableDenseHashTable and their anonymous
 * forms: the handles of lookup tables. A table is looked up among the resources of the device by
 * its shared name, or by the node name if {@code use_node_name_sharing} is set; without either it
 * belongs to its node.
 */
final class HashTableOps {
  private static final String[] TABLE = {
    "container: string = ''",
    "shared_name: string = ''",
    "use_node_name_sharing: bool = false",
    "key_dtype: type",
    "value_dtype: type"
  };

  /** The name of the handle, as an output and as an input. */
  static final String HANDLE = "table_handle";

  private static final String VALUE_SHAPE = "value_shape: shape = []";

  private static final String[] DENSE = {
    "initial_num_buckets: int = 131072", "max_load_factor: float = 0.8"
  };
  private static final String DENSE_REMARK =
      "Keys must be scalars, and are exported in insertion order.";

  /** Creates the table of a node under a name. */
  @FunctionalInterface
  private interface Maker {
    LookupTable make(String name, Attrs attrs);
  }

  /** Creates the table of a node under a name, from the inputs of a kernel call. */
  @FunctionalInterface
  private interface CallMaker {
    LookupTable make(KernelCall call, String name, Attrs attrs);
  }

  private HashTableOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>(anonymous());
    for (HandleForm form : HandleForm.values()) {
      ops.addAll(makers(form));
    }
    return ops;
  }

  private static List<Op> makers(HandleForm form) {
    String keys = form == HandleForm.RESOURCE ? ", deleted_key: key_dtype" : "";
    return List.of(
        handle(form.creatingOp("HashTable", HANDLE), HashTableOps::fixed),
        handle(
            form.creatingOp("MutableHashTable", HANDLE),
            (name, attrs) -> mutable(name, attrs, Shape.SCALAR)),
        handle(
            form.creatingOp("MutableHashTableOfTensors", HANDLE).attrs(VALUE_SHAPE),
            (name, attrs) -> mutable(name, attrs, attrs.shape("value_shape"))),
        form.creatingOpNamed(
                form.named("MutableDenseHashTable"), "empty_key: key_dtype" + keys, HANDLE)
            .attrs(TABLE)
            .attrs(VALUE_SHAPE)
            .attrs(DENSE)
            .remark(DENSE_REMARK)
            .kernel(node -> handleKernel(node, HashTableOps::dense)));
  }

  private static List<Op> anonymous() {
    return List.of(
        anonymous("AnonymousHashTable", HashTableOps::fixed),
        anonymous("AnonymousMutableHashTable", (name, attrs) -> mutable(name, attrs, Shape.SCALAR)),
        anonymous(
            "AnonymousMutableHashTableOfTensors",
            (name, attrs) -> mutable(name, attrs, attrs.shape("value_shape")),
            VALUE_SHAPE),
        Op.define(
                "AnonymousMutableDenseHashTable(empty_key: key_dtype, deleted_key: key_dtype)"
                    + " -> table_handle: resource")
            .attrs("key_dtype: type", "value_dtype: type", VALUE_SHAPE)
            .attrs(DENSE)
            .remark(DENSE_REMARK)
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .kernel(node ->
                call ->
                    call.setOutput(0, Tensor.resource(dense(call, node.name(), node.attrs())))));
  }

  private static Op anonymous(String name, Maker maker, String... moreAttrs) {
    return Op.define(name + "() -> table_handle: resource")
        .attrs("key_dtype: type", "value_dtype: type")
        .attrs(moreAttrs)
        .stateful()
        .shape(ShapeFunctions.SCALAR)
        .kernel(node ->
            call -> call.setOutput(0, Tensor.resource(maker.make(node.name(), node.attrs()))));
  }

  private static Op handle(Op.Builder op, Maker maker) {
    return op.attrs(TABLE)
        .kernel(node -> handleKernel(node, (_, name, attrs) -> maker.make(name, attrs)));
  }

  private static LookupTable fixed(String name, Attrs attrs) {
    return new LookupTable.Fixed(name, attrs.type("key_dtype"), attrs.type("value_dtype"));
  }

  private static LookupTable dense(KernelCall call, String name, Attrs attrs) {
    List<Tensor> reserved = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      if (call.input(i).shape().rank() != 0) {
        throw StatusException.unimplemented(
            "table %s has keys of shape %s; only scalars are supported",
            name, call.input(i).shape());
      }
      reserved.add(call.input(i));
    }
    return new LookupTable.Mutable(
        name,
        attrs.type("key_dtype"),
        attrs.type("value_dtype"),
        known(attrs.shape("value_shape")),
        reserved);
  }

  private static LookupTable mutable(String name, Attrs attrs, Shape valueShape) {
    return new LookupTable.Mutable(
        name, attrs.type("key_dtype"), attrs.type("value_dtype"), known(valueShape), List.of());
  }

  private static Shape known(Shape valueShape) {
    if (!valueShape.isKnown()) {
      throw invalidArgument("the shape of a table's values must be known, and is %s", valueShape);
    }
    return valueShape;
  }

  private static Kernel.Sync handleKernel(NodeSpec node, CallMaker maker) {
    Attrs attrs = node.attrs();
    String shared = attrs.string("shared_name");
    Resources.checkNames(attrs.string("container"), shared);
    String name = shared.isEmpty() ? node.name() : shared;
    if (shared.isEmpty() && !attrs.bool("use_node_name_sharing")) {
      AtomicReference<@Nullable Tensor> own = new AtomicReference<>();
      return call -> {
        Tensor made = own.get();
        if (made == null) {
          own.compareAndSet(null, Tensor.resource(maker.make(call, name, attrs)));
          made = own.get();
        }
        call.setOutput(0, Objects.requireNonNull(made));
      };
    }
    return call -> {
      LookupTable table =
          call.resources()
              .lookupOrCreate(
                  attrs.string("container"),
                  name,
                  LookupTable.class,
                  () -> maker.make(call, name, attrs));
      if (table.keyType() != attrs.type("key_dtype")
          || table.valueType() != attrs.type("value_dtype")) {
        throw invalidArgument(
            "Conflicting key/value dtypes %s->%s with %s->%s for table %s",
            attrs.type("key_dtype").tfName(),
            attrs.type("value_dtype").tfName(),
            table.keyType().tfName(),
            table.valueType().tfName(),
            name);
      }
      call.setOutput(0, Tensor.resource(table));
    };
  }
}
