package com.example.howto;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.dataset.Dataset;
import java.util.concurrent.atomic.AtomicLong;

/** Trainers that share the elements of one job: each element goes to one of them. */
public final class SeveralTrainers {
  private SeveralTrainers() {}

  /** One trainer's part of {@code dataset}: those that name the same job share it. */
  static Dataset part(Dataset dataset, String job, String target, ReadStatistics statistics) {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC)
            .withJobName(job)
            .withStrictNames()
            .withGuarantee(Guarantee.EXACTLY_ONCE)
            .withStatistics(statistics);
    return dataset.apply(DataService.distribute(options, target));
  }

  /** Reads its part, and prints how much that was: {@code SeveralTrainers JOB TARGET}. */
  public static void main(String[] args) {
    ReadStatistics statistics = new ReadStatistics();
    AtomicLong records = new AtomicLong();
    part(Dataset.range(100_000).batch(64), args[0], args[1], statistics)
        .forEach(batch -> records.addAndGet(batch.tensor().elements()));
    System.out.printf(
        "%d records, read %s, %d tasks lost%n",
        records.get(), statistics.guarantee().orElseThrow(), statistics.lostTasks().size());
  }
}
