package io.headrace.interop;

import io.headrace.interop.Results.Result;
import java.util.List;

/** A stock client on Headrace's dispatcher and one of its workers. */
final class StockClientTest extends Pairing {
  @Override
  String start(Servers servers) throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    return dispatcher;
  }

  @Override
  String refused(Result pipeline) {
    return pipeline.refused() + pipeline.unsupported();
  }

  @Override
  List<String> refusals() {
    return List.of("static_sharding_without_a_list_of_workers", "snapshot_without_fault_tolerance");
  }
}
