package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.resource.HandleForm;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Look-up tables: made, filled, asked and changed. Keys are int32, int64 or string; values of any
 * dtype that lies in memory. A table is found by its shared name, or its node's where that is asked
 * for, among the resources of its step; without either it is its node's own.
 */
final class LookupTableOps {
  private static final String[] TABLE = {
    "container: string = ''",
    "shared_name: string = ''",
    "use_node_name_sharing: bool = false",
    "key_dtype: type",
    "value_dtype: type"
  };

  private static final String HANDLE = "table_handle";
  private static final String VALUE_SHAPE = "value_shape: shape = []";

  private LookupTableOps() {}

  private static final String[] DENSE = {
    "initial_num_buckets: int = 131072", "max_load_factor: float = 0.8"
  };
  private static final String DENSE_REMARK =
      "Keys are scalars, and come out in the order in which they were inserted.";

  /** Makes the table of a node by its name. */
  @FunctionalInterface
  private interface Maker {
    LookupTable make(String name, Attrs attrs);
  }

  /** Makes the table of a node by its name, in a call of its kernel. */
  @FunctionalInterface
  private interface CallMaker {
    LookupTable make(KernelCall call, String name, Attrs attrs);
  }

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>(anonymous());
    for (HandleForm form : HandleForm.values()) {
      ops.addAll(makers(form));
      ops.addAll(fillers(form));
      ops.addAll(lookers(form));
    }
    return ops;
  }

  private static List<Op> makers(HandleForm form) {
    String keys = form == HandleForm.RESOURCE ? ", deleted_key: key_dtype" : "";
    return List.of(
        handle(form.maker("HashTable", HANDLE), LookupTableOps::fixed),
        handle(
            form.maker("MutableHashTable", HANDLE),
            (name, attrs) -> mutable(name, attrs, Shape.SCALAR)),
        handle(
            form.maker("MutableHashTableOfTensors", HANDLE).attrs(VALUE_SHAPE),
            (name, attrs) -> mutable(name, attrs, attrs.shape("value_shape"))),
        form.makerNamed(form.named("MutableDenseHashTable"), "empty_key: key_dtype" + keys, HANDLE)
            .attrs(TABLE)
            .attrs(VALUE_SHAPE)
            .attrs(DENSE)
            .remark(DENSE_REMARK)
            .kernel(node -> handleKernel(node, LookupTableOps::dense)));
  }

  private static List<Op> anonymous() {
    return List.of(
        anonymous("AnonymousHashTable", LookupTableOps::fixed),
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
            .shape(ShapeRules.SCALAR)
            .kernel(node ->
                call ->
                    call.setOutput(0, Tensor.resource(dense(call, node.name(), node.attrs())))));
  }

  private static Op anonymous(String name, Maker maker, String... moreAttrs) {
    return Op.define(name + "() -> table_handle: resource")
        .attrs("key_dtype: type", "value_dtype: type")
        .attrs(moreAttrs)
        .stateful()
        .shape(ShapeRules.SCALAR)
        .kernel(node ->
            call -> call.setOutput(0, Tensor.resource(maker.make(node.name(), node.attrs()))));
  }

  private static List<Op> fillers(HandleForm form) {
    return List.of(
        form.user("InitializeTable", HANDLE, ", keys: Tkey, values: Tval", "")
            .attrs("Tkey: type", "Tval: type")
            .stateless(LookupTableOps::initialize),
        form.user("LookupTableImport", HANDLE, ", keys: Tin, values: Tout", "")
            .attrs("Tin: type", "Tout: type")
            .stateless(call -> keysAndValues(call).load(call.input(1), call.input(2))),
        form.user("LookupTableInsert", HANDLE, ", keys: Tin, values: Tout", "")
            .attrs("Tin: type", "Tout: type")
            .stateless(call -> keysAndValues(call).insert(call.input(1), call.input(2))),
        form.user("InitializeTableFromTextFile", HANDLE, ", filename: string", "")
            .attrs(
                "key_index: int",
                "value_index: int",
                "vocab_size: int = -1",
                "delimiter: string = '\t'",
                "offset: int = 0")
            .remark("A file without lines is INVALID_ARGUMENT; TensorFlow says OUT_OF_RANGE.")
            .kernel(TextFileTable::kernel));
  }

  private static List<Op> lookers(HandleForm form) {
    List<Op> ops = new ArrayList<>();
    ops.add(
        form.looker("LookupTableFind", HANDLE, ", keys: Tin, default_value: Tout", "values: Tout")
            .attrs("Tin: type", "Tout: type")
            .kernel(RowKernel.of(LookupTableOps::find)));
    ops.add(
        form.looker("LookupTableSize", HANDLE, "", "size: int64")
            .shape(ShapeRules.SCALAR)
            .stateless(call ->
                call.setOutput(0, Tensor.scalar((long) LookupTable.of(call.input(0)).size()))));
    ops.add(
        form.looker("LookupTableExport", HANDLE, "", "keys: Tkeys, values: Tvalues")
            .attrs("Tkeys: type", "Tvalues: type")
            .shape(_ -> List.of(Shape.of(Shape.UNKNOWN_DIMENSION), Shape.UNKNOWN))
            .remark("Keys come in the order in which they were inserted.")
            .kernel(LookupTableOps::export));
    if (form == HandleForm.RESOURCE) {
      ops.add(
          form.user("LookupTableRemove", HANDLE, ", keys: Tin", "")
              .attrs("Tin: type")
              .stateless(LookupTableOps::remove));
    }
    return ops;
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

  private static void initialize(KernelCall call) {
    LookupTable table = LookupTable.of(call.input(0));
    if (!(table instanceof LookupTable.Fixed)) {
      throw invalidArgument("Table %s is not initializable", table.name());
    }
    Shape keys = call.input(1).shape();
    if (keys.rank() != 1) {
      throw invalidArgument("Keys must be a vector, but received shape %s", keys);
    }
    if (keys.elements() != call.input(2).elements()) {
      throw invalidArgument(
          "Keys and values must have the same size %d vs %d",
          keys.elements(), call.input(2).elements());
    }
    keysAndValues(call).load(call.input(1), call.input(2));
  }

  /** The table of a call whose keys and values fit it and one another. */
  private static LookupTable keysAndValues(KernelCall call) {
    LookupTable table = LookupTable.of(call.input(0));
    Tensor keys = call.input(1);
    Tensor values = call.input(2);
    table.checkTypes(keys.dtype(), values.dtype());
    table.checkKeys(keys);
    Shape expected = Shapes.concat(keys.shape(), table.valueShape());
    if (!values.shape().equals(expected)) {
      throw invalidArgument(
          "Expected shape %s for value, got %s for table %s",
          expected, values.shape(), table.name());
    }
    return table;
  }

  private static void remove(KernelCall call) {
    LookupTable table = LookupTable.of(call.input(0));
    table.checkTypes(call.input(1).dtype(), null);
    table.checkKeys(call.input(1));
    table.remove(call.input(1));
  }

  private static boolean find(Rows rows) {
    if (rows.varies(0)) {
      return false;
    }
    LookupTable table = LookupTable.of(rows.all(0));
    DataType valueType = rows.dtype(2);
    table.checkTypes(rows.dtype(1), valueType);
    Shape result = Shapes.concat(rows.shape(1), table.valueShape());
    boolean each = hasDefaultForEach(table, rows.shape(2), result);
    Object array = rows.allocate(valueType, result);
    int count = rows.shape(1).elements();
    table.read(held -> {
      for (int row = 0; row < rows.count(); row++) {
        Tensor keys = rows.row(1, row);
        table.checkKeys(keys);
        held.find(keys.array(), keys.offset(), count, rows.row(2, row), each, array, row * count);
      }
      return held;
    });
    rows.set(0, valueType, result, array);
    return true;
  }

  private static boolean hasDefaultForEach(LookupTable table, Shape defaults, Shape result) {
    boolean forAll = defaults.equals(table.valueShape());
    if (!forAll && !defaults.equals(result)) {
      throw invalidArgument(
          "Expected shape %s or %s for default value, got %s for table %s",
          table.valueShape(), result, defaults, table.name());
    }
    return !forAll && table.hasDefaultForEach();
  }

  private static Kernel.Sync export(NodeSpec node) {
    return call -> {
      LookupTable table = LookupTable.of(call.input(0));
      table.checkTypes(node.attrs().type("Tkeys"), node.attrs().type("Tvalues"));
      List<Tensor> all = table.export();
      call.setOutput(0, all.get(0));
      call.setOutput(1, all.get(1));
    };
  }
}
