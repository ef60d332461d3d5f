package io.headrace.interop;

import io.headrace.dataset.Dataset;
import java.util.function.UnaryOperator;

/** The Java API without servers: Headrace's runtime in this process. */
final class JavaInProcessTest extends JavaPairing {
  @Override
  UnaryOperator<Dataset> start(Servers started) {
    return UnaryOperator.identity();
  }
}
