package io.headrace.cli.web;

import com.google.gson.JsonObject;
import io.headrace.cli.metrics.DispatcherMetrics;
import io.headrace.cli.metrics.MetricsSource;
import io.headrace.dispatcher.DispatcherCounts;
import io.headrace.dispatcher.DispatcherView;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobHistory;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A dispatcher's pages and their JSON, which has the fields of the messages of its service for
 * operators. The dispatcher is asked for each of them at most once a second. Thread-safe.
 */
public final class DispatcherSite {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Plans change with the workers only, and cost an evaluation. */
  private static final Duration PLAN_PERIOD = Duration.ofSeconds(30);

  /** Half of the time that Prometheus waits by default. */
  private static final Duration METRICS_PATIENCE = Duration.ofSeconds(5);

  private static final long MAX_ENTRIES = 500;

  private final RecentAnswers<Boolean, DispatcherCounts> counts;
  private final RecentAnswers<Page, GetStatusResponse> statuses;
  private final RecentAnswers<String, JobStatistics> statistics;
  private final RecentAnswers<String, JobHistory> histories;
  private final RecentAnswers<ExplainRequest, DatasetPlan> plans;

  private record Page(long skip, long entries) {}

  /**
   * The site of a dispatcher.
   *
   * @param view gives the dispatcher's answers; fails until it runs
   * @param ticker measures how old answers are
   */
  public DispatcherSite(Supplier<DispatcherView> view, Ticker ticker) {
    statuses =
        new RecentAnswers<>(
            ticker,
            PERIOD,
            page ->
                view.get()
                    .status(
                        GetStatusRequest.newBuilder()
                            .setSkip(page.skip())
                            .setMaxEntries(page.entries())
                            .build()));
    counts = new RecentAnswers<>(ticker, PERIOD, _ -> view.get().counts());
    statistics = new RecentAnswers<>(ticker, PERIOD, job -> view.get().jobStatistics(job));
    histories = new RecentAnswers<>(ticker, PERIOD, job -> view.get().jobHistory(job));
    plans = new RecentAnswers<>(ticker, PLAN_PERIOD, request -> view.get().explain(request));
  }

  /** The dispatcher's metrics. */
  public MetricsSource metrics() {
    return new DispatcherMetrics(
        () -> counts.get(true, METRICS_PATIENCE), job -> statistics.get(job, METRICS_PATIENCE));
  }

  /** Adds the site to {@code routes}. */
  public void addTo(Routes routes) {
    PageFiles.addTo(routes, "dispatcher");
    routes.add("/api/status", request -> Answer.json(statuses.get(page(request))));
    routes.add(
        "/api/jobs/{}/statistics",
        request -> Answer.json(statistics.get(request.words().getFirst())));
    routes.add(
        "/api/jobs/{}/history", request -> Answer.json(histories.get(request.words().getFirst())));
    routes.add("/api/jobs/{}/plan", request -> Answer.json(plans.get(plan(request, true))));
    routes.add("/api/datasets/{}/plan", request -> Answer.json(plans.get(plan(request, false))));
    routes.add(
        "/health",
        _ -> {
          JsonObject health = new JsonObject();
          GetStatusResponse status = statuses.get(new Page(0, 1));
          health.addProperty("journal_refuses", status.getDispatcher().getJournalRefuses());
          return Answer.json(health);
        });
  }

  private static Page page(WebRequest request) {
    long entries = Math.clamp(request.number("entries", MAX_ENTRIES), 1, MAX_ENTRIES);
    return new Page(request.number("skip", 0), entries);
  }

  private static ExplainRequest plan(WebRequest request, boolean ofJob) {
    return ExplainRequest.newBuilder().setName(request.words().getFirst()).setJob(ofJob).build();
  }
}
