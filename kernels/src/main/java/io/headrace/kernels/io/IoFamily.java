package io.headrace.kernels.io;

import io.headrace.runtime.op.Op;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/** Ops that reach outside the process: files, printing, the clock. */
public final class IoFamily {
  private IoFamily() {}

  /**
   * The ops of this family.
   *
   * @param clock the clock that Timestamp reads
   */
  public static List<Op> ops(InstantSource clock) {
    return Stream.of(TimestampOps.ops(clock), FileOps.ops(), PrintOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
