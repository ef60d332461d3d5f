package io.headrace.interop;

import io.headrace.interop.Results.Result;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Validates the pipelines and the harness: all processes are stock TensorFlow. */
@EnabledIfSystemProperty(named = Extent.ALL, matches = "true")
final class StockOnStockTest extends Pairing {
  @Override
  String start(Servers servers) throws InterruptedException {
    String dispatcher = servers.startStockDispatcher();
    servers.startStockWorker(dispatcher);
    return dispatcher;
  }

  @Override
  String refused(Result pipeline) {
    return "";
  }
}
