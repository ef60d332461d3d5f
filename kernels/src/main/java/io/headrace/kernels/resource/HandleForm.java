package io.headrace.kernels.resource;

import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;

/** The two forms in which TensorFlow has ops on queues, readers, tables: old and new. */
public enum HandleForm {
  /** With a resource for a handle. */
  RESOURCE("V2", "resource", "resource", true),
  /** With a reference to a string for a handle. What travels is the same. */
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

  /** {@code name} as the name of an op in this form. */
  public String named(String name) {
    return name + suffix;
  }

  /** How the declaration of an op writes the type of a handle. */
  public String argument() {
    return argument;
  }

  /** The dtype of the handle, for messages. */
  public String typeName() {
    return typeName;
  }

  /** Begins an op that makes a handle. */
  public Op.Builder maker(String name, String output) {
    return makerNamed(name + suffix, output);
  }

  /** Begins an op that makes a handle, by its whole name. */
  public Op.Builder makerNamed(String name, String output) {
    return makerNamed(name, "", output);
  }

  /** The same, of {@code inputs} ("name: type, name: type"). */
  public Op.Builder makerNamed(String name, String inputs, String output) {
    return Op.define(name + "(" + inputs + ") -> " + output + ": " + argument)
        .stateful()
        .shape(ShapeRules.SCALAR);
  }

  /** Begins an op that takes a handle first, and only looks at what it stands for. */
  public Op.Builder looker(String name, String input, String moreInputs, String outputs) {
    Op.Builder op = user(name, input, moreInputs, outputs);
    return isDeclaredStateful ? op.stateful(Effect.READS) : op;
  }

  /** Begins an op that takes a handle alone, and gives nothing. */
  public Op.Builder user(String name, String input) {
    return user(name, input, "", "");
  }

  /** Begins an op that takes a handle first, and {@code moreInputs} (", name: type"). */
  public Op.Builder user(String name, String input, String moreInputs, String outputs) {
    return userNamed(name + suffix, input, moreInputs, outputs);
  }

  /** The same, by its whole name. */
  public Op.Builder userNamed(String name, String input, String moreInputs, String outputs) {
    String signature = name + "(" + input + ": " + argument + moreInputs + ")";
    Op.Builder op = Op.define(outputs.isEmpty() ? signature : signature + " -> (" + outputs + ")");
    return isDeclaredStateful ? op.stateful() : op;
  }
}
