package io.headrace.gpu.check;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.KernelFunction;
import io.headrace.gpu.device.LaunchSize;
import io.headrace.gpu.device.StreamRole;
import io.headrace.gpu.kernels.ImageBatches;
import io.headrace.gpu.kernels.ImageBatches.Cut;
import io.headrace.gpu.kernels.ImageBatches.Scaling;
import io.headrace.gpu.kernels.KernelChecks;
import io.headrace.gpu.ptx.ElementwiseArguments;
import io.headrace.gpu.ptx.ElementwisePtx;
import io.headrace.gpu.ptx.PtxKernel;
import io.headrace.gpu.ptx.TiledLayout;
import io.headrace.gpu.ptx.TiledLayout.Tiled;
import io.headrace.gpu.ptx.TiledPtx;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.elementwise.StridedView;
import io.headrace.runtime.elementwise.StridedView.Axis;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** How fast kernels and copies are, beside the device's bandwidth and other libraries. */
final class FiguresPart {
  private static final int BLOCK = 256;

  /** The most blocks of a launch of tiles, as GpuStridedKernel has. */
  private static final int TILE_BLOCKS = 4096;

  private static final int CHANNELS = 3;
  private static final int THREADS = 4;
  private static final int PIPELINE_RUNS = 5;
  private static final int PAGE_BYTES = 4096;
  private static final HostWait WAIT = HostWait.uncancelled();

  private static final Scaling SCALING =
      new Scaling(
          List.of(123.675f, 116.28f, 103.53f), List.of(1 / 58.395f, 1 / 57.12f, 1 / 57.375f));

  private final CheckedMachine machine;
  private final FigurePoints figures;
  private final GpuDevice device;
  private final GpuContext context;
  private final DeviceTimer timer;
  private final Peers peers;

  private FiguresPart(CheckedMachine machine, CheckPoints points, GpuDevice device) {
    this.machine = machine;
    figures = new FigurePoints(points, machine.scale().isTimed());
    this.device = device;
    context = device.context();
    timer = new DeviceTimer(machine.driver(), context, machine.scale().repeats());
    peers = Peers.measure(machine);
  }

  static void run(CheckedMachine machine, CheckPoints points) {
    try (GpuDevice device = machine.open()) {
      FiguresPart part = new FiguresPart(machine, points, device);
      double bandwidth = part.bandwidth();
      part.planes(bandwidth);
      part.planesOfMap(bandwidth);
      part.chain(bandwidth);
      part.images();
      part.pipeline();
      part.products();
    }
  }

  /** A product of matrices by the kernel of Headrace, and by cuBLAS. */
  private void products() {
    int edge = machine.scale().matrix();
    String name = "product of matrices of %d x %d floats".formatted(edge, edge);
    figures.note(name, product(timer, device, edge));
    try (GpuDevice other = machine.openWithCublas()) {
      DeviceTimer ofOther =
          new DeviceTimer(machine.driver(), other.context(), machine.scale().repeats());
      String text = product(ofOther, other, edge);
      if (other.context().products().isUsed()) {
        figures.note(name + " by cuBLAS", text);
      } else {
        figures.skip(name + " by cuBLAS", "it was not used: the log says why");
      }
    }
  }

  private static String product(DeviceTimer timer, GpuDevice device, int edge) {
    double millis = timer.millis(StreamRole.COMPUTE, KernelChecks.product(device, edge));
    return "%.3f ms, %.1f TFLOP/s".formatted(millis, 2.0 * edge * edge * edge / millis / 1e9);
  }

  private DeviceBuffer allocate(long bytes) {
    return context.allocate(bytes, "figures", StreamRole.COMPUTE, WAIT);
  }

  private static double gigabytes(double bytes, double millis) {
    return bytes / millis / 1e6;
  }

  /** The bytes that a copy within the device reads and writes, in GB/s. */
  private double bandwidth() {
    long bytes = machine.scale().copyBytes();
    try (DeviceBuffer from = allocate(bytes);
        DeviceBuffer to = allocate(bytes)) {
      context.stream(StreamRole.COMPUTE)
          .enqueue(
              List.of(),
              List.of(from),
              (driver, stream) -> driver.memsetD8Async(from.address(), (byte) 1, bytes, stream));
      double millis =
          timer.millis(
              StreamRole.COMPUTE, () -> context.stream(StreamRole.COMPUTE).copy(from, to, bytes));
      double rate = gigabytes(2.0 * bytes, millis);
      figures.note("device copy bandwidth", "%.1f GB/s, read and written".formatted(rate));
      return rate;
    }
  }

  private Shape batch() {
    CheckScale scale = machine.scale();
    return Shape.of(scale.images(), scale.edge(), scale.edge(), CHANNELS);
  }

  private void planes(double bandwidth) {
    ImageBatches batches = new ImageBatches(context, WAIT);
    Shape shape = batch();
    try (DeviceBuffer bytes = allocate(shape.elements());
        DeviceBuffer floats = allocate(4L * shape.elements())) {
      context.copies().write(images(shape), bytes, WAIT);
      double millis =
          timer.millis(StreamRole.COMPUTE, () -> batches.toPlanes(bytes, floats, shape, SCALING));
      double rate = gigabytes(5.0 * shape.elements(), millis);
      figures.atLeast(
          "normalize and layout change, part of the copy bandwidth",
          rate / bandwidth,
          0.85,
          "%s uint8 in %.3f ms, %.1f GB/s".formatted(shape, millis, rate));
    }
  }

  /** The same by the kernel that is generated for map functions and sessions. */
  private void planesOfMap(double bandwidth) {
    Expression x = new Expression.Input(0, DataType.UINT8).convert(DataType.FLOAT32);
    Expression mean = new Expression.Input(1, DataType.FLOAT32);
    Expression factor = new Expression.Input(2, DataType.FLOAT32);
    LoopProgram program =
        LoopProgram.of(
            x.sub(mean).mul(factor), List.of(DataType.UINT8, DataType.FLOAT32, DataType.FLOAT32));
    Shape shape = batch();
    int images = (int) shape.size(0);
    int pixels = (int) (shape.size(1) * shape.size(2));
    StridedView planes =
        new StridedView(
            0,
            List.of(
                new Axis(images, pixels * CHANNELS),
                new Axis(CHANNELS, 1),
                new Axis(pixels, CHANNELS)));
    StridedView channels =
        new StridedView(
            0, List.of(new Axis(images, 0), new Axis(CHANNELS, 1), new Axis(pixels, 0)));
    Tiled tiled =
        TiledLayout.of(program, StridedPlan.of(List.of(planes, channels, channels)).orElseThrow())
            .orElseThrow();
    PtxKernel kernel = TiledPtx.of(program, tiled.layout());
    try (DeviceBuffer bytes = allocate(shape.elements());
        DeviceBuffer numbers = allocate(Float.BYTES * CHANNELS);
        DeviceBuffer floats = allocate(4L * shape.elements());
        Arena arena = Arena.ofConfined();
        KernelFunction function = context.modules().function(kernel.text(), kernel.name())) {
      context.copies().write(images(shape), bytes, WAIT);
      context.copies().write(Tensor.vector(1.5f, 2, 2.5f), numbers, WAIT);
      KernelArguments arguments =
          ElementwiseArguments.of(
              kernel,
              tiled,
              List.of(bytes.address(), numbers.address(), numbers.address()),
              floats.address(),
              floats.address(),
              arena);
      LaunchSize size = LaunchSize.linear(Math.min(TILE_BLOCKS, tiled.tiles()), TiledLayout.BLOCK);
      double millis =
          timer.millis(
              StreamRole.COMPUTE,
              () ->
                  context.stream(StreamRole.COMPUTE)
                      .launch(function, size, arguments, List.of(bytes, numbers), List.of(floats)));
      double rate = gigabytes(5.0 * shape.elements(), millis);
      figures.atLeast(
          "the same in a map function, part of the copy bandwidth",
          rate / bandwidth,
          0.85,
          "%s uint8 in %.3f ms, %.1f GB/s".formatted(shape, millis, rate));
    }
  }

  private static Tensor images(Shape shape) {
    byte[] bytes = new byte[shape.elements()];
    new Random(1).nextBytes(bytes);
    return Tensor.of(DataType.UINT8, shape, bytes);
  }

  /** Ten operations on floats; peers.py has the same. */
  private static LoopProgram chainOfTen() {
    Expression x = new Expression.Input(0, DataType.FLOAT32);
    Expression y = x.mul(x.same(1.1)).add(x.same(0.5)).apply(ScalarOperation.ABS);
    y = y.apply(ScalarOperation.SQRT).sub(x.same(0.25)).max(x.same(0)).mul(x.same(2));
    y = y.min(x.same(100)).neg().add(x.same(1));
    return LoopProgram.of(y, List.of(DataType.FLOAT32));
  }

  private void chain(double bandwidth) {
    int count = machine.scale().chain();
    LoopProgram program = chainOfTen();
    BroadcastPlan plan = BroadcastPlan.of(List.of(Shape.of(count)));
    PtxKernel kernel = aligned(program, plan);
    try (DeviceBuffer from = allocate(4L * count);
        DeviceBuffer to = allocate(4L * count);
        Arena arena = Arena.ofConfined();
        KernelFunction function = context.modules().function(kernel.text(), kernel.name())) {
      context
          .copies()
          .write(Tensor.of(DataType.FLOAT32, Shape.of(count), numbers(count)), from, WAIT);
      KernelArguments arguments =
          ElementwiseArguments.of(
              kernel, plan, List.of(from.address()), to.address(), to.address(), arena);
      LaunchSize size = LaunchSize.linear(kernel.blocks(count, BLOCK), BLOCK);
      double millis =
          timer.millis(
              StreamRole.COMPUTE,
              () ->
                  context.stream(StreamRole.COMPUTE)
                      .launch(function, size, arguments, List.of(from), List.of(to)));
      double rate = gigabytes(8.0 * count, millis);
      figures.note(
          "chain of ten operations",
          "%d floats in %.3f ms, %.1f GB/s, %.2f of the copy bandwidth"
              .formatted(count, millis, rate, rate / bandwidth));
      figures.beside("chain beside PyTorch eager", millis, peers, "PyTorch eager", 5);
      figures.beside("chain beside torch.compile", millis, peers, "torch.compile", 1);
    }
  }

  /** The kernel of a program with one operand, at the start of a buffer. */
  private static PtxKernel aligned(LoopProgram program, BroadcastPlan plan) {
    List<Access> access = List.of(plan.access(0));
    int width = ElementwisePtx.width(program, access, List.of(0L));
    return ElementwisePtx.of(program, access, plan.dimensions(), width);
  }

  private static float[] numbers(int count) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i % 1000 * 0.01f - 5;
    }
    return numbers;
  }

  /**
   * Images of sizes from one to two edges, cut and flipped: with the copies to the device, which
   * the peers are given as well.
   */
  private void images() {
    CheckScale scale = machine.scale();
    Random random = new Random(2);
    List<Cut> cuts = new ArrayList<>();
    for (int i = 0; i < scale.images(); i++) {
      int height = scale.edge() + random.nextInt(scale.edge());
      int width = scale.edge() + random.nextInt(scale.edge());
      int top = random.nextInt(height / 4);
      int left = random.nextInt(width / 4);
      Tensor image = images(Shape.of(height, width, CHANNELS));
      cuts.add(new Cut(image, top, left, height * 3 / 4, width * 3 / 4, random.nextBoolean()));
    }
    ImageBatches batches = new ImageBatches(context, WAIT);
    double best = Double.MAX_VALUE;
    for (int i = 0; i < scale.repeats(); i++) {
      long start = SystemTicker.INSTANCE.nanoTime();
      Tensor batch = batches.prepare(cuts, scale.edge(), scale.edge(), SCALING, true);
      context.synchronize(WAIT);
      best = Math.min(best, (SystemTicker.INSTANCE.nanoTime() - start) / 1e6);
      require(batch.shape().rank() == 4, "a batch of " + batch.shape());
    }
    figures.note(
        "resize, crop, flip, normalize",
        "%d images in %.3f ms, with their copy to the device".formatted(cuts.size(), best));
    figures.beside("images beside torchvision", best, peers, "torchvision", 2);
    figures.beside("images beside DALI", best, peers, "DALI", 1);
  }

  /**
   * Batches of bytes from the host, normalized, floats back to the host; several at a time. The
   * first run compiles, and its results touch memory that serves the others.
   */
  private void pipeline() {
    Expression x = new Expression.Input(0, DataType.UINT8).convert(DataType.FLOAT32);
    LoopProgram program =
        LoopProgram.of(x.sub(x.same(127.5)).mul(x.same(1 / 127.5)), List.of(DataType.UINT8));
    Tensor images = images(batch());
    int rounds = machine.scale().repeats();
    KernelChecks.Stage stage = KernelChecks.stage(device, program);
    double millis = Double.MAX_VALUE;
    for (int run = 0; run < PIPELINE_RUNS; run++) {
      millis = Math.min(millis, pipelineMillis(stage, images, rounds));
    }
    long bytes = images.byteSize();
    double in = hostCopy(bytes, true);
    double out = hostCopy(4 * bytes, false);
    double kernel = stageMillis(program, images);
    double slowest = Math.max(kernel, Math.max(in, out));
    figures.atLeast(
        "pipeline, host to host: the slowest step's part of the time",
        slowest / millis,
        0.9,
        "%.3f ms a batch, the best of %d runs; copy in %.3f, kernel %.3f, copy out %.3f"
            .formatted(millis, PIPELINE_RUNS, in, kernel, out));
  }

  /** The milliseconds of a batch, of which each thread has {@code rounds}, one after another. */
  private static double pipelineMillis(KernelChecks.Stage stage, Tensor images, int rounds) {
    long start = SystemTicker.INSTANCE.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int round = 0; round < rounds; round++) {
                  readPages(stage.toHost(images));
                }
              }));
    }
    join(threads);
    return (SystemTicker.INSTANCE.nanoTime() - start) / 1e6 / (rounds * THREADS);
  }

  /** Reads a float of each page. */
  private static void readPages(MemorySegment floats) {
    float sum = 0;
    for (long at = 0; at < floats.byteSize(); at += PAGE_BYTES) {
      sum += floats.get(ValueLayout.JAVA_FLOAT, at);
    }
    require(Float.isFinite(sum), "a sum of " + sum);
  }

  private static void join(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private double stageMillis(LoopProgram program, Tensor images) {
    BroadcastPlan plan = BroadcastPlan.of(List.of(images.shape()));
    PtxKernel kernel = aligned(program, plan);
    try (DeviceBuffer from = allocate(images.byteSize());
        DeviceBuffer to = allocate(4L * images.byteSize());
        Arena arena = Arena.ofConfined();
        KernelFunction function = context.modules().function(kernel.text(), kernel.name())) {
      context.copies().write(images, from, WAIT);
      KernelArguments arguments =
          ElementwiseArguments.of(
              kernel, plan, List.of(from.address()), to.address(), to.address(), arena);
      int blocks = kernel.blocks(plan.elements(), BLOCK);
      return timer.millis(
          StreamRole.COMPUTE,
          () ->
              context.stream(StreamRole.COMPUTE)
                  .launch(
                      function,
                      LaunchSize.linear(blocks, BLOCK),
                      arguments,
                      List.of(from),
                      List.of(to)));
    }
  }

  /** The milliseconds of one copy between pinned memory and the device. */
  private double hostCopy(long bytes, boolean isToDevice) {
    MemorySegment pinned = machine.driver().memHostAlloc(bytes);
    try (DeviceBuffer buffer = allocate(bytes)) {
      pinned.fill((byte) 1);
      context.stream(StreamRole.TO_DEVICE)
          .enqueue(
              List.of(),
              List.of(buffer),
              (driver, stream) -> driver.memcpyHtoDAsync(buffer.address(), pinned, stream));
      context.synchronize(WAIT);
      StreamRole role = isToDevice ? StreamRole.TO_DEVICE : StreamRole.TO_HOST;
      return timer.millis(
          role,
          () ->
              context.stream(role)
                  .enqueue(
                      isToDevice ? List.of() : List.of(buffer),
                      isToDevice ? List.of(buffer) : List.of(),
                      (driver, stream) -> {
                        if (isToDevice) {
                          driver.memcpyHtoDAsync(buffer.address(), pinned, stream);
                        } else {
                          driver.memcpyDtoHAsync(pinned, buffer.address(), stream);
                        }
                      }));
    } finally {
      machine.driver().memFreeHost(pinned);
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
