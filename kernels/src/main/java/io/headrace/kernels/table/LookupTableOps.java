package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.resource.HandleForm;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * LookupTableFind, LookupTableInsert, LookupTableImport, LookupTableExport, LookupTableSize and
 * LookupTableRemove, each for string references and for resource handles.
 */
final class LookupTableOps {
  private LookupTableOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (HandleForm form : HandleForm.values()) {
      ops.addAll(writers(form));
      ops.addAll(readers(form));
    }
    return ops;
  }

  private static List<Op> writers(HandleForm form) {
    return List.of(
        form.handleOp("LookupTableImport", HashTableOps.HANDLE, ", keys: Tin, values: Tout", "")
            .attrs("Tin: type", "Tout: type")
            .stateless(call -> keysAndValues(call).load(call.input(1), call.input(2))),
        form.handleOp("LookupTableInsert", HashTableOps.HANDLE, ", keys: Tin, values: Tout", "")
            .attrs("Tin: type", "Tout: type")
            .stateless(call -> keysAndValues(call).insert(call.input(1), call.input(2))));
  }

  private static List<Op> readers(HandleForm form) {
    List<Op> ops = new ArrayList<>();
    ops.add(
        form.readingOp(
                "LookupTableFind",
                HashTableOps.HANDLE,
                ", keys: Tin, default_value: Tout",
                "values: Tout")
            .attrs("Tin: type", "Tout: type")
            .kernel(RowKernel.of(LookupTableOps::find)));
    ops.add(
        form.readingOp("LookupTableSize", HashTableOps.HANDLE, "", "size: int64")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(0, Tensor.scalar((long) LookupTable.of(call.input(0)).size()))));
    ops.add(
        form.readingOp("LookupTableExport", HashTableOps.HANDLE, "", "keys: Tkeys, values: Tvalues")
            .attrs("Tkeys: type", "Tvalues: type")
            .shape(_ -> List.of(Shape.of(Shape.UNKNOWN_DIMENSION), Shape.UNKNOWN))
            .remark("Keys are in insertion order.")
            .kernel(LookupTableOps::export));
    if (form == HandleForm.RESOURCE) {
      ops.add(
          form.handleOp("LookupTableRemove", HashTableOps.HANDLE, ", keys: Tin", "")
              .attrs("Tin: type")
              .stateless(LookupTableOps::remove));
    }
    return ops;
  }

  /**
   * The table of input 0, checked against the keys of input 1 and the values of input 2:
   * INVALID_ARGUMENT if a dtype or a shape does not match.
   */
  static LookupTable keysAndValues(KernelCall call) {
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
        held.find(
            TensorMemory.array(keys),
            TensorMemory.offset(keys),
            count,
            rows.row(2, row),
            each,
            array,
            row * count);
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
