package io.headrace.cli.drill;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.client.ServiceCompression;
import io.headrace.dataset.ElementIterator;
import java.util.Optional;
import java.util.OptionalLong;

/** Headrace's own client, in this process. */
final class HeadraceClient implements DrillClient {
  private final ReadStatistics statistics = new ReadStatistics();
  private final ElementIterator elements;

  /** Registers {@code job}'s dataset with the dispatcher at {@code target}, and reads it. */
  HeadraceClient(DrillJob job, String target, Optional<Guarantee> demanded) {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC)
            .withCompression(ServiceCompression.NONE)
            .withStatistics(statistics);
    DistributeOptions wanted = demanded.map(options::withGuarantee).orElse(options);
    this.elements = job.dataset().apply(DataService.distribute(wanted, target)).iterator();
  }

  @Override
  public OptionalLong next() {
    return elements.hasNext()
        ? OptionalLong.of(DrillJob.numberOf(elements.next()))
        : OptionalLong.empty();
  }

  @Override
  public void replace(DrillProgress stage) {
    throw new IllegalStateException("a client in this process can't be killed");
  }

  @Override
  public Facts facts() {
    return new Facts(
        statistics.guarantee(),
        statistics.guaranteeReason(),
        statistics.lostTasks().size(),
        Optional.empty());
  }

  @Override
  public void close() {
    elements.close();
  }
}
