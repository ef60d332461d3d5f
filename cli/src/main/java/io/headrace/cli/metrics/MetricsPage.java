package io.headrace.cli.metrics;

import java.util.List;

/** The documentation of all metrics, {@code docs/metrics.md}. */
public final class MetricsPage {
  private static final String INTRODUCTION =
      """
      # Metrics

      `headrace metrics` prints this page. With [`--http-port`](operating.md#metrics) a dispatcher or worker serves its
      metrics in Prometheus' text at `/metrics`. Counters begin anew with their process. Labels never have ids:

      | label | value |
      |---|---|
      | `job_name` | the job's name; all jobs without a name are `(anonymous)`, one series. It is not called `job` since Prometheus gives each target a label of that name |
      | `stage` | the transformation or source, and the user's function in it; those of one name are one |
      | `worker` | the worker's address |
      | `grpc_method` | service and method of a call; `other` for one that is not there |
      | `grpc_status` | how the call ended: `OK`, or the name of a status code |
      | `grpc_target` | the address that is called; the first 100, then `other` |

      Peers report every two seconds (more rarely if there are more than 400 of them), so counters grow in steps, and the
      end of a pass may not be counted.
      """;

  private MetricsPage() {}

  /** The page in Markdown. */
  public static String text() {
    return INTRODUCTION
        + table("A dispatcher's", Instruments.DISPATCHER)
        + table("A worker's", Instruments.WORKER)
        + table("Those of any process", Instruments.PROCESS)
        + table("gRPC's own, with --grpc-metrics", Instruments.GRPC);
  }

  private static String table(String title, List<Instrument> instruments) {
    StringBuilder page = new StringBuilder();
    page.append("\n## ").append(title).append("\n\n| metric | type | labels | meaning |\n");
    page.append("|---|---|---|---|\n");
    for (Instrument instrument : instruments) {
      page.append("| `")
          .append(instrument.prometheusName())
          .append("` | ")
          .append(instrument.prometheusType())
          .append(" | ")
          .append(String.join(", ", instrument.prometheusLabels()))
          .append(" | ")
          .append(instrument.meaning())
          .append(" |\n");
    }
    return page.toString();
  }
}
