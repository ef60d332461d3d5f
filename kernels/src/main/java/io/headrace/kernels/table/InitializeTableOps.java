package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.HandleForm;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** InitializeTable and InitializeTableFromTextFile: fill a table that is filled once. */
final class InitializeTableOps {
  private InitializeTableOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (HandleForm form : HandleForm.values()) {
      ops.addAll(ops(form));
    }
    return ops;
  }

  private static List<Op> ops(HandleForm form) {
    return List.of(
        form.handleOp("InitializeTable", HashTableOps.HANDLE, ", keys: Tkey, values: Tval", "")
            .attrs("Tkey: type", "Tval: type")
            .stateless(InitializeTableOps::initialize),
        form.handleOp("InitializeTableFromTextFile", HashTableOps.HANDLE, ", filename: string", "")
            .attrs(
                "key_index: int",
                "value_index: int",
                "vocab_size: int = -1",
                "delimiter: string = '\t'",
                "offset: int = 0")
            .touches(Touch.READS_FILES)
            .remark("A file without lines is INVALID_ARGUMENT; TensorFlow says OUT_OF_RANGE.")
            .kernel(TextFileTable::kernel));
  }

  private static void initialize(KernelCall call) {
    var _ = TableInitializer.of(call.input(0));
    Shape keys = call.input(1).shape();
    if (keys.rank() != 1) {
      throw invalidArgument("Keys must be a vector, but received shape %s", keys);
    }
    if (keys.elements() != call.input(2).elements()) {
      throw invalidArgument(
          "Keys and values must have the same size %d vs %d",
          keys.elements(), call.input(2).elements());
    }
    LookupTableOps.keysAndValues(call).load(call.input(1), call.input(2));
  }
}
