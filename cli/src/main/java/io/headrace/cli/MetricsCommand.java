package io.headrace.cli;

import io.headrace.cli.metrics.MetricsPage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headrace metrics}: prints the list of metrics, {@code docs/metrics.md}. */
@Command(
    name = "metrics",
    description = {
      "List the metrics that dispatchers and workers serve with --http-port: a page of Markdown."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class MetricsCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    Headrace.out(spec).print(MetricsPage.text());
    Headrace.out(spec).flush();
  }
}
