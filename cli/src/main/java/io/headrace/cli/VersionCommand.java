package io.headrace.cli;

import io.headrace.rpc.BuildVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headrace version}: prints the versions of Headrace and of its platform. */
@Command(name = "version", description = "Say which version this is, and what it runs on.")
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class VersionCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    Headrace.out(spec)
        .printf(
            "headrace %s (TensorFlow 2.21's protocol; Java %s, %s %s)%n",
            BuildVersion.TEXT, Runtime.version(), System.getProperty("os.name"), architecture());
  }

  private static String architecture() {
    return System.getProperty("os.arch");
  }
}
