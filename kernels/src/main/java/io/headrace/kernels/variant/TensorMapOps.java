package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/**
 * Tensor maps: EmptyTensorMap, TensorMapErase, TensorMapHasKey, TensorMapInsert, TensorMapLookup,
 * TensorMapSize and TensorMapStackKeys.
 */
final class TensorMapOps {
  private static final String[] TYPES = {"key_dtype: type", "value_dtype: type"};

  private TensorMapOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("EmptyTensorMap() -> handle: variant")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> set(call, TensorMap.EMPTY)),
        Op.define(
                "TensorMapInsert(input_handle: variant, key: key_dtype, value: value_dtype)"
                    + " -> output_handle: variant")
            .attrs(TYPES)
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> set(call, map(call).with(call.input(1), call.input(2)))),
        Op.define("TensorMapErase(input_handle: variant, key: key_dtype) -> output_handle: variant")
            .attrs(TYPES)
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> set(call, map(call).without(call.input(1)))),
        Op.define("TensorMapHasKey(input_handle: variant, key: key_dtype) -> has_key: bool")
            .attrs("key_dtype: type")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.scalar(map(call).has(call.input(1))))),
        Op.define("TensorMapLookup(input_handle: variant, key: key_dtype) -> value: value_dtype")
            .attrs(TYPES)
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              DataType dtype = node.attrs().type("value_dtype");
              return call -> call.setOutput(0, lookup(call, dtype));
            }),
        Op.define("TensorMapSize(input_handle: variant) -> size: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.scalar(map(call).size()))),
        Op.define("TensorMapStackKeys(input_handle: variant) -> keys: key_dtype")
            .attrs("key_dtype: type")
            .shape(_ -> List.of(Shape.UNKNOWN))
            .remark("Keys come in the order of their first insertion; in TensorFlow, in any order.")
            .kernel(node -> {
              DataType dtype = node.attrs().type("key_dtype");
              return call -> call.setOutput(0, stackKeys(map(call).keys(), dtype));
            }));
  }

  private static TensorMap map(KernelCall call) {
    return TensorMap.of(call.input(0));
  }

  private static void set(KernelCall call, TensorMap map) {
    call.setOutput(0, Tensor.variant(map));
  }

  private static Tensor lookup(KernelCall call, DataType dtype) {
    Tensor value = map(call).value(call.input(1));
    if (value.dtype() != dtype) {
      throw invalidArgument(
          "the value of the key is of dtype %s, not %s", value.dtype().tfName(), dtype.tfName());
    }
    return value;
  }

  private static Tensor stackKeys(List<Tensor> keys, DataType dtype) {
    if (keys.isEmpty()) {
      throw invalidArgument("TensorMapStackKeys cannot be called on empty map.");
    }
    Shape shape = keys.getFirst().shape();
    for (Tensor key : keys) {
      if (key.dtype() != dtype) {
        throw invalidArgument("Key does not match requested dtype.");
      }
      if (!key.shape().equals(shape)) {
        throw invalidArgument("Keys must all have the same shape.");
      }
    }
    Shape result = shape.prepend(keys.size());
    Tensor stacked = Tensor.wrap(dtype, result, TensorLimit.allocate(dtype, result));
    for (int i = 0; i < keys.size(); i++) {
      TensorListOps.copy(keys.get(i), stacked, i * shape.elements());
    }
    return stacked;
  }
}
