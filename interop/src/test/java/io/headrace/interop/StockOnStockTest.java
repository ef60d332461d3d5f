package io.headrace.interop;

import io.headrace.interop.Results.Result;

/** Proves the pipelines and the harness: here stock TensorFlow plays all the parts. */
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
