package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * SummaryWriter, CreateSummaryFileWriter, FlushSummaryWriter and CloseSummaryWriter: event files on
 * the machine of the op's device.
 */
final class SummaryWriterOps {
  private final Ticker ticker;
  private final InstantSource clock;

  private SummaryWriterOps(Ticker ticker, InstantSource clock) {
    this.ticker = ticker;
    this.clock = clock;
  }

  /**
   * The ops.
   *
   * @param ticker measures the time between flushes
   * @param clock dates the files
   */
  static List<Op> ops(Ticker ticker, InstantSource clock) {
    SummaryWriterOps ops = new SummaryWriterOps(ticker, clock);
    return List.of(
        Op.define("SummaryWriter() -> writer: resource")
            .attrs("shared_name: string = ''", "container: string = ''")
            .stateful()
            .touches(Touch.WRITES_FILES)
            .shape(ShapeFunctions.SCALAR)
            .kernel(SummaryWriterOps::handle),
        target(
                "CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32,"
                    + " flush_millis: int32, filename_suffix: string)")
            .stateless(ops::create),
        target("FlushSummaryWriter(writer: resource)").stateless(call -> writer(call).flush()),
        target("CloseSummaryWriter(writer: resource)")
            .stateless(call -> EventWriterResource.of(call.input(0)).end()));
  }

  /** Declares an op of a writer, without outputs. */
  static Op.Builder target(String signature) {
    return Op.define(signature).stateful().touches(Touch.WRITES_FILES).shape(_ -> List.of());
  }

  private static Kernel.Sync handle(NodeSpec node) {
    String container = node.attrs().string("container");
    String shared = node.attrs().string("shared_name");
    String name = shared.isEmpty() ? node.name() : shared;
    return call ->
        call.setOutput(
            0,
            Tensor.resource(
                call.resources()
                    .lookupOrCreate(
                        container,
                        name,
                        EventWriterResource.class,
                        () -> new EventWriterResource(name))));
  }

  /** The open writer of input 0; NOT_FOUND if it is closed. */
  static EventFileWriter writer(KernelCall call) {
    return EventWriterResource.of(call.input(0)).writer();
  }

  static void checkScalar(Tensor tensor, String name) {
    if (tensor.shape().rank() != 0) {
      throw invalidArgument("%s must be a scalar", name);
    }
  }

  private void create(KernelCall call) {
    checkScalar(call.input(1), "logdir");
    checkScalar(call.input(2), "max_queue");
    checkScalar(call.input(3), "flush_millis");
    checkScalar(call.input(4), "filename_suffix");
    String folder = SummaryInputs.text(call, 1);
    long maxQueue = call.input(2).integer(0);
    Duration flushAfter = Duration.ofMillis(call.input(3).integer(0));
    String suffix = SummaryInputs.text(call, 4);
    EventWriterResource.of(call.input(0))
        .begin(() -> EventFileWriter.open(folder, maxQueue, flushAfter, suffix, ticker, clock));
  }
}
