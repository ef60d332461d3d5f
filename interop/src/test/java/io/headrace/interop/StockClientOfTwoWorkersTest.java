package io.headrace.interop;

import io.headrace.interop.Results.Result;
import java.util.List;

/**
 * A stock client on Headrace's dispatcher and two workers, each of which produces every element.
 */
final class StockClientOfTwoWorkersTest extends Pairing {
  @Override
  String start(Servers servers) throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    servers.startHeadraceWorker(dispatcher);
    return dispatcher;
  }

  @Override
  int workers() {
    return 2;
  }

  @Override
  List<String> flags() {
    return List.of("--uncompressed");
  }

  @Override
  String refused(Result pipeline) {
    return pipeline.refused() + pipeline.unsupported();
  }
}
