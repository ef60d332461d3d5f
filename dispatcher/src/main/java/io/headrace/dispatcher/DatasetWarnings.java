package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.dispatcher.decide.SharedDataset;
import io.headrace.dispatcher.graph.GraphDifference;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Warns in the dispatcher's log of clients that get another dataset than the one they sent: by the
 * name of a job or by a dataset id that was in use. Each pair of datasets is compared once, in the
 * background. Thread-safe.
 */
final class DatasetWarnings {
  private static final Logger LOGGER = System.getLogger(DatasetWarnings.class.getName());
  private static final int MAX_COMPARED = 1000;

  private final Executor background;

  @GuardedBy("compared")
  private final Map<String, Boolean> compared =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MAX_COMPARED;
        }
      };

  DatasetWarnings(Executor background) {
    this.background = background;
  }

  /** A client joined a job whose dataset is not the one it named. */
  void joined(SharedDataset datasets) {
    compareOnce(
        "job " + datasets.ofJob().id() + " " + datasets.requested().id(),
        () -> datasets.difference().ifPresent(d -> JobLog.readsAnother(datasets, d)));
  }

  /** A client registered a dataset under the id of the dataset {@code first}. */
  void registeredAgain(RegisteredDataset first, PreparedDataset later) {
    if (!first.def().equals(later.def())) {
      compareOnce(
          "id " + first.id() + " " + later.def().hashCode(),
          () ->
              GraphDifference.between(first.parseDef(), later.parsed())
                  .ifPresent(difference -> JobLog.keepsFirst(first.id(), difference)));
    }
  }

  private void compareOnce(String pair, Runnable comparison) {
    synchronized (compared) {
      if (compared.put(pair, true) != null) {
        return;
      }
    }
    try {
      background.execute(() -> {
        try {
          comparison.run();
        } catch (StatusException e) {
          LOGGER.log(Level.WARNING, "datasets can't be compared: " + e.getMessage());
        }
      });
    } catch (RejectedExecutionException _) {
      // The dispatcher is stopping.
    }
  }
}
