package io.headrace.interop;

import io.headrace.interop.Results.Result;

/** A stock client and a stock worker with Headrace's dispatcher. */
final class StockWorkersTest extends Pairing {
  @Override
  String start(Servers servers) throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startStockWorker(dispatcher);
    return dispatcher;
  }

  @Override
  String refused(Result pipeline) {
    return pipeline.refused();
  }
}
