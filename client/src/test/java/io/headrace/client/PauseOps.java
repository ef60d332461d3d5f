package io.headrace.client;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Ops that take their time without a processor, for stages that are slow in a known place. */
public final class PauseOps implements OpLibrary {
  /** For {@link java.util.ServiceLoader}. */
  public PauseOps() {}

  @Override
  public List<Op> ops() {
    return List.of(
        Op.define(
                "HeadraceTestPause(x: int64, nanos: int64, every: int64, job: string) -> y: int64")
            .shape(ShapeFunctions.SAME)
            .stateless(PauseOps::pause));
  }

  private static void pause(KernelCall call) {
    String job = new String(call.input(3).string(0), StandardCharsets.UTF_8);
    if (call.input(0).integer(0) % call.input(2).integer(0) == 0
        && call.device().name().contains(job)) {
      try {
        TimeUnit.NANOSECONDS.sleep(call.input(1).integer(0));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StatusException(StatusCode.CANCELLED, "the pause was interrupted", e);
      }
    }
    call.setOutput(0, call.input(0));
  }

  /** {@code x}, a scalar int64, after {@code time}. */
  static Output pause(Output x, Duration time) {
    return pause(x, time, 1, "");
  }

  /** {@code x}; every {@code every}th number takes {@code time}, on devices of a job. */
  static Output pause(Output x, Duration time, long every, String job) {
    return GraphBuilder.current()
        .op("HeadraceTestPause")
        .input(x)
        .input(Ops.constant(Tensor.scalar(time.toNanos())))
        .input(Ops.constant(Tensor.scalar(every)))
        .input(Ops.constant(Tensor.scalar(job)))
        .build();
  }
}
