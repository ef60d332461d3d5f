package io.headrace.interop;

import io.headrace.interop.Results.Result;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A stock client on Headrace's dispatcher and two workers, each of which makes every element. */
// Red while kernels that its pipelines need are missing: -Dinterop.unfinished=true runs it.
@EnabledIfSystemProperty(named = "interop.unfinished", matches = "true")
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
