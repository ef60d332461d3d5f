package io.headrace.runtime.execute;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.OpRegistry;
import java.util.List;

/** Functions of a float tensor x, written as the text of protocol buffers. */
final class FunctionText {
  private FunctionText() {}

  /** The function of {@code nodes} whose results are {@code results}, floats. */
  static CallableFunction function(List<String> results, List<String> nodes) {
    StringBuilder text = new StringBuilder("function { signature { name: 'f' ");
    text.append("input_arg { name: 'x' type: DT_FLOAT } ");
    for (int i = 0; i < results.size(); i++) {
      text.append("output_arg { name: 'y%d' type: DT_FLOAT } ".formatted(i));
    }
    text.append("} ");
    for (int i = 0; i < results.size(); i++) {
      text.append("ret { key: 'y%d' value: '%s' } ".formatted(i, results.get(i)));
    }
    text.append(String.join("\n", nodes)).append(" }");
    try {
      FunctionDefLibrary library =
          TextFormat.parse(text.toString().replace('\'', '"'), FunctionDefLibrary.class);
      return new FunctionLibrary(library, OpRegistry.standard()).instantiate(new FunctionRef("f"));
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text.toString(), e);
    }
  }

  /** A constant, its {@code value} in the fields of a TensorProto. */
  static String constant(String name, String dtype, String value) {
    return """
    node_def {
      name: '%s' op: 'Const'
      attr { key: 'dtype' value { type: %s } }
      attr { key: 'value' value { tensor { dtype: %s %s } } }
    }
    """
        .formatted(name, dtype, dtype, value);
  }

  /** A node with attrs of {@code types}, like {@code "T=DT_FLOAT Tidx=DT_INT32"}. */
  static String node(String name, String op, String types, String... inputs) {
    StringBuilder node = new StringBuilder("node_def { name: '%s' op: '%s'".formatted(name, op));
    for (String input : inputs) {
      node.append(" input: '%s'".formatted(input));
    }
    for (String type : types.split(" ", -1)) {
      String[] keyAndType = type.split("=", -1);
      boolean isType = keyAndType[1].startsWith("DT_");
      node.append(
          " attr { key: '%s' value { %s: %s } }"
              .formatted(keyAndType[0], isType ? "type" : "i", keyAndType[1]));
    }
    return node.append(" }").toString();
  }
}
