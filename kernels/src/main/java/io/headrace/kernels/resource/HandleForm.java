package io.headrace.kernels.resource;

import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;

/**
 * The two forms of handle ops in TensorFlow, for queues, readers and tables: resource handles (ops
 * with the suffix V2) and string references.
 */
public enum HandleForm {
  /** A resource handle. */
  RESOURCE("V2", "resource", "resource", true),
  /** A reference to a string. The edge carries the same resource as the other form. */
  REFERENCE("", "Ref(string)", "string_ref", false);

  private final String suffix;
  private final String argument;
  private final String typeName;
  private final boolean isDeclaredStateful;

  HandleForm(String suffix, String argument, String typeName, boolean isDeclaredStateful) {
    this.suffix = suffix;
    this.argument = argument;
    this.typeName = typeName;
    this.isDeclaredStateful = isDeclaredStateful;
  }

  /** The op name {@code name} in this form. */
  public String named(String name) {
    return name + suffix;
  }

  /** The type of the handle argument in an op declaration. */
  public String argument() {
    return argument;
  }

  /** The dtype of the handle, for messages. */
  public String typeName() {
    return typeName;
  }

  /** Declares an op that creates a resource. */
  public Op.Builder creatingOp(String name, String output) {
    return creatingOpNamed(name + suffix, output);
  }

  /** Declares an op that creates a resource, by its full name. */
  public Op.Builder creatingOpNamed(String name, String output) {
    return creatingOpNamed(name, "", output);
  }

  /** Declares an op that creates a resource from {@code inputs} ("name: type, name: type"). */
  public Op.Builder creatingOpNamed(String name, String inputs, String output) {
    return Op.define(name + "(" + inputs + ") -> " + output + ": " + argument)
        .stateful()
        .shape(ShapeFunctions.SCALAR);
  }

  /** Declares an op that takes a handle as its first input and only reads the resource. */
  public Op.Builder readingOp(String name, String input, String moreInputs, String outputs) {
    Op.Builder op = handleOp(name, input, moreInputs, outputs);
    return isDeclaredStateful ? op.stateful(Effect.READS) : op;
  }

  /** Declares an op that takes a handle alone and has no outputs. */
  public Op.Builder handleOp(String name, String input) {
    return handleOp(name, input, "", "");
  }

  /**
   * Declares an op that takes a handle as its first input, then {@code moreInputs} (", name:
   * type").
   */
  public Op.Builder handleOp(String name, String input, String moreInputs, String outputs) {
    return handleOpNamed(name + suffix, input, moreInputs, outputs);
  }

  /** Declares an op that takes a handle as its first input, by its full name. */
  public Op.Builder handleOpNamed(String name, String input, String moreInputs, String outputs) {
    String signature = name + "(" + input + ": " + argument + moreInputs + ")";
    Op.Builder op = Op.define(outputs.isEmpty() ? signature : signature + " -> (" + outputs + ")");
    return isDeclaredStateful ? op.stateful() : op;
  }
}
