package io.headrace.interop;

import io.headrace.interop.Results.Result;

/** Validates the pipelines and the harness: all processes are stock TensorFlow. */
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
