package io.headrace.dispatcher.statistics;

import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * The number of workers that keep pace with the readers of an iteration, as TensorFlow's
 * auto-scaler estimates it: the elements that its readers take in a second, over those that a
 * worker makes in a second, rounded up. A rate that is further from the mean than the standard
 * deviation of its kind counts as the median. Nothing acts on it.
 *
 * @param made for each worker that tells its processing time, the elements that it makes in a
 *     second
 * @param taken for each reader that tells its target time, the elements that it takes in a second
 *     where it never waits
 * @param silentTasks active tasks whose worker tells no processing time
 * @param silentReaders readers that tell no target time
 */
public record WorkerEstimate(
    List<Double> made, List<Double> taken, int silentTasks, int silentReaders) {
  /** The most by which an estimate may exceed the present number of workers at a time. */
  private static final long MOST_MORE = 500;

  private static final long MOST_TIMES = 4;
  private static final long MOST = 100_000;

  /** Copies the lists. */
  public WorkerEstimate {
    made = List.copyOf(made);
    taken = List.copyOf(taken);
  }

  /** The estimate, at most 100,000; empty while no worker or no reader has told its rate. */
  public OptionalLong workers() {
    if (made.isEmpty() || taken.isEmpty()) {
      return OptionalLong.empty();
    }
    double perWorker = sum(withoutOutliers(made)) / made.size();
    double needed = Math.ceil(sum(withoutOutliers(taken)) / perWorker);
    return OptionalLong.of((long) Math.clamp(needed, 1, MOST));
  }

  /**
   * The largest of {@code estimates}, with TensorFlow's bounds: four times the present workers, 500
   * more than those, and 100,000.
   *
   * @param present the number of workers
   */
  public static OptionalLong bounded(Collection<WorkerEstimate> estimates, long present) {
    OptionalLong largest =
        estimates.stream()
            .map(WorkerEstimate::workers)
            .filter(OptionalLong::isPresent)
            .mapToLong(OptionalLong::getAsLong)
            .max();
    if (present < 1 || largest.isEmpty()) {
      return OptionalLong.empty();
    }
    long most = Math.min(Math.min(MOST_TIMES * present, present + MOST_MORE), MOST);
    return OptionalLong.of(Math.min(largest.getAsLong(), most));
  }

  private static List<Double> withoutOutliers(List<Double> rates) {
    double mean = sum(rates) / rates.size();
    double squares = rates.stream().mapToDouble(rate -> (rate - mean) * (rate - mean)).sum();
    double deviation = rates.size() == 1 ? 0 : Math.sqrt(squares / (rates.size() - 1));
    double median = rates.stream().sorted().toList().get(rates.size() / 2);
    return rates.stream()
        .map(rate -> rate < mean - deviation || rate > mean + deviation ? median : rate)
        .toList();
  }

  private static double sum(List<Double> rates) {
    return rates.stream().mapToDouble(Double::doubleValue).sum();
  }
}
