package io.headrace.cli;

import io.headrace.runtime.op.OpRegistry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headrace ops}: prints the list of supported ops, {@code docs/ops.md}. */
@Command(
    name = "ops",
    description = {
      "List the TensorFlow ops that Headrace implements, with their dtypes and differences: a page"
          + " of Markdown."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class OpsCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    Headrace.out(spec).print(OpsPage.of(OpRegistry.standard().ops()));
    Headrace.out(spec).flush();
  }
}
