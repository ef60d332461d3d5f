package io.headrace.interop;

import io.headrace.interop.Results.Result;

/** A stock client and a Headrace worker that registered with a stock dispatcher. */
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
}
