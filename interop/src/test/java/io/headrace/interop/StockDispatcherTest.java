package io.headrace.interop;

import io.headrace.interop.Results.Result;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A stock client and a Headrace worker that registered with a stock dispatcher. */
// Red while kernels that its pipelines need are missing: -Dinterop.unfinished=true runs it.
@EnabledIfSystemProperty(named = "interop.unfinished", matches = "true")
final class StockDispatcherTest extends Pairing {
  @Override
  String start(Servers servers) throws InterruptedException {
    String dispatcher = servers.startStockDispatcher();
    servers.startHeadraceWorker(dispatcher);
    return dispatcher;
  }

  @Override
  String refused(Result pipeline) {
    return pipeline.refused() + pipeline.unsupported();
  }

  @Override
  List<String> refusals() {
    return List.of("num_consumers", "dynamic_sharding", "cross_trainer_cache");
  }
}
