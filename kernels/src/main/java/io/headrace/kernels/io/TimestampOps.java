package io.headrace.kernels.io;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Timestamp: the time of a clock, in seconds since 1970, with microseconds. */
final class TimestampOps {
  private static final double MICROS = 1e6;

  private TimestampOps() {}

  static List<Op> ops(InstantSource clock) {
    return List.of(
        Op.define("Timestamp() -> ts: double")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> {
              Instant now = clock.instant();
              long micros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
              call.setOutput(0, Tensor.scalar(micros / MICROS));
            }));
  }
}
