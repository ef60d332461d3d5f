package io.headrace.cluster.plan;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.GraphDef;

/** Graphs with float functions and variables, as text protos with single quotes. */
public final class GraphText {
  public static final String FLOAT = "attr { key: 'T' value { type: DT_FLOAT } } ";
  public static final String LOWERED =
      "attr { key: '_lower_using_switch_merge' value { b: true } } ";
  private static final String SCALAR = "attr { key: 'shape' value { shape { } } } ";
  private static final String DTYPE = "attr { key: 'dtype' value { type: DT_FLOAT } } ";

  private GraphText() {}

  public static GraphDef read(String text) {
    try {
      return TextFormat.parse(text.replace('\'', '"'), GraphDef.class);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(text, e);
    }
  }

  private static String content(
      String name, String op, String device, String attrs, String... inputs) {
    StringBuilder node = new StringBuilder("{ name: '" + name + "' op: '" + op + "' device: '");
    node.append(device).append("' ").append(attrs);
    for (String input : inputs) {
      node.append(" input: '").append(input).append('\'');
    }
    return node.append(" }\n").toString();
  }

  public static String node(String name, String op, String device, String attrs, String... inputs) {
    return "node " + content(name, op, device, attrs, inputs);
  }

  /** A node of a function. */
  public static String inner(
      String name, String op, String device, String attrs, String... inputs) {
    return "node_def " + content(name, op, device, attrs, inputs);
  }

  public static String number(String name, float value, String... controls) {
    return node(name, "Const", "", value(value), controls);
  }

  public static String value(float value) {
    String tensor = "{ tensor { dtype: DT_FLOAT tensor_shape { } float_val: " + value + " } }";
    return DTYPE + "attr { key: 'value' value " + tensor + " } ";
  }

  public static String placeholder(String name, String dtype) {
    return node(name, "Placeholder", "", "attr { key: 'dtype' value { type: " + dtype + " } }");
  }

  /** A variable at {@code device}, and the node {@code name/set} that sets it. */
  public static String variable(String name, String device, float value) {
    String shared = "attr { key: 'shared_name' value { s: '" + name + "' } } ";
    return node(name, "VarHandleOp", device, DTYPE + SCALAR + shared)
        + number(name + "/value", value)
        + node(name + "/set", "AssignVariableOp", "", DTYPE, name, name + "/value")
        + node(name + "/read", "ReadVariableOp", "", DTYPE, name);
  }

  /** A node of a function that reads a variable. */
  public static String read(String name, String device, String variable, String... controls) {
    String[] inputs = new String[controls.length + 1];
    inputs[0] = variable;
    System.arraycopy(controls, 0, inputs, 1, controls.length);
    return inner(name, "ReadVariableOp", device, DTYPE, inputs);
  }

  /** A node of a function that adds to a variable. */
  public static String add(String name, String device, String variable, String by) {
    return inner(name, "AssignAddVariableOp", device, DTYPE, variable, by);
  }

  /** {@code name: 'DT_...'} pairs as arguments of {@code kind}: input_arg or output_arg. */
  private static String arguments(String kind, String... namesAndTypes) {
    StringBuilder arguments = new StringBuilder();
    for (String argument : namesAndTypes) {
      String[] parts = argument.split(" ", 2);
      arguments.append(" %s { name: '%s' type: DT_%s }".formatted(kind, parts[0], parts[1]));
    }
    return arguments.toString();
  }

  /**
   * A function.
   *
   * @param inputs names and types, such as {@code v RESOURCE}
   * @param result the type of its only result, and the tensor; empty for a function without results
   * @param effects nodes that run although no result depends on them
   */
  public static String function(
      String name, String[] inputs, String nodes, String result, String... effects) {
    String[] parts = result.split(" ", 2);
    boolean hasResult = !result.isEmpty();
    StringBuilder function = new StringBuilder("library { function { signature { name: '");
    function.append(name).append('\'').append(arguments("input_arg", inputs));
    if (hasResult) {
      function.append(arguments("output_arg", "r " + parts[0]));
    }
    for (String effect : effects) {
      function.append(" control_output: '").append(effect).append('\'');
    }
    function.append(" }\n").append(nodes);
    if (hasResult) {
      function.append("ret { key: 'r' value: '").append(parts[1]).append("' }");
    }
    for (String effect : effects) {
      function.append(" control_ret { key: '%s' value: '%s' }".formatted(effect, effect));
    }
    return function.append(" } }\n").toString();
  }

  public static String types(String attr, String... types) {
    StringBuilder list = new StringBuilder("attr { key: '" + attr + "' value { list { ");
    for (String type : types) {
      list.append("type: DT_").append(type).append(' ');
    }
    return list.append("} } } ").toString();
  }

  public static String calls(String attr, String function) {
    return "attr { key: '" + attr + "' value { func { name: '" + function + "' } } } ";
  }

  /** A call with a float result. */
  public static String call(
      String name, String device, String function, String[] types, String... inputs) {
    String attrs = types("Tin", types) + types("Tout", "FLOAT") + calls("f", function);
    return node(name, "StatefulPartitionedCall", device, attrs, inputs);
  }
}
