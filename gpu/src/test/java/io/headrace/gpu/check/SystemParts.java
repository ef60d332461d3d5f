package io.headrace.gpu.check;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.Session;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerHost;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The parts that use a GPU as users do: in sessions of a server, in map functions of a worker. */
final class SystemParts {
  private static final String GPU = "/device:GPU:0";

  /** How far sums may be from the CPU's, of numbers near 1. */
  private static final double TOLERANCE = 1e-5;

  private static final ConfigProto GROWING =
      ConfigProto.newBuilder().setGpuOptions(GPUOptions.newBuilder().setAllowGrowth(true)).build();

  private SystemParts() {}

  private static List<Accelerator> open(CheckedMachine machine, ConfigProto config) {
    CudaSearch search = new CudaSearch.Found(machine.driver(), machine.library(), List.of());
    return GpuAccelerators.open(search, config, Map.of(), List.of(0), CublasLibraries.NONE);
  }

  static void sessions(CheckedMachine machine, CheckPoints points) {
    Graph g = new Graph();
    Output images = g.placeholder(DataType.UINT8, Shape.UNKNOWN);
    Twin chain = Twin.of(g, () -> chain(images));
    Twin moves = Twin.of(g, () -> moves(g, images));
    Twin scores = Twin.of(g, () -> scores(g, images));
    Twin failing = Twin.of(g, () -> g.op("Div").input(images).input(images.sub(images)).build());
    try (Server server = start(machine);
        Session session = Session.open(server.target(), g)) {
      points.check("the GPU is listed", () -> session.devices().getLast().getPhysicalDeviceDesc());
      points.check("elementwise ops, bit by bit", () -> chain.compare(session, images, 0));
      points.check("ops that move elements, bit by bit", () -> moves.compare(session, images, 0));
      points.check(
          "resize, random numbers, product, softmax",
          () -> scores.compare(session, images, TOLERANCE));
      points.check(
          "the error of an element is the CPU's",
          () -> {
            String onCpu = failure(() -> failing.compute(session, images, failing.cpu));
            String onGpu = failure(() -> failing.compute(session, images, failing.gpu));
            require(
                onCpu.contains("division by zero") && onGpu.contains("division by zero"),
                onGpu + " instead of " + onCpu);
            return "division by zero";
          });
    }
  }

  private static Server start(CheckedMachine machine) {
    Server server =
        new Server(
            ServerDefs.local(GROWING),
            ServerHost.ofProcess().withAccelerators(config -> open(machine, config)));
    server.start();
    return server;
  }

  /** The same nodes on the CPU and on the GPU. */
  private record Twin(Output cpu, Output gpu) {
    static Twin of(Graph g, Supplier<Output> nodes) {
      Output onCpu = nodes.get();
      try (var _ = g.device(GPU)) {
        return new Twin(onCpu, nodes.get());
      }
    }

    Tensor compute(Session session, Output images, Output of) {
      return session.runner().feed(images, images(12, 20)).fetch(of).run().getFirst();
    }

    String compare(Session session, Output images, double tolerance) {
      float[] expected = compute(session, images, cpu).floats();
      float[] actual = compute(session, images, gpu).floats();
      require(expected.length == actual.length, actual.length + " elements");
      for (int i = 0; i < expected.length; i++) {
        require(
            Float.compare(expected[i], actual[i]) == 0
                || Math.abs(expected[i] - actual[i]) <= tolerance,
            "element %d is %s, not %s".formatted(i, actual[i], expected[i]));
      }
      return expected.length + " elements";
    }
  }

  private static Tensor images(int height, int width) {
    byte[] bytes = new byte[2 * height * width];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (7 * i);
    }
    return Tensor.of(DataType.UINT8, Shape.of(2, height, width, 1), bytes);
  }

  private static Output chain(Output images) {
    return images.cast(DataType.FLOAT32).sub(127.5f).mul(1 / 127.5f).abs().add(0.25f);
  }

  private static Output moves(Graph g, Output images) {
    Tensor margins = Tensor.of(DataType.INT32, Shape.of(4, 2), new int[] {0, 0, 1, 1, 2, 0, 0, 0});
    Output padded =
        g.op("Pad").input(images.cast(DataType.FLOAT32)).input(g.constant(margins)).build();
    Output flipped =
        g.op("ReverseV2").input(padded).input(g.constant(Tensor.vector(new int[] {2}))).build();
    return g.op("Transpose").input(flipped).input(g.constant(Tensor.vector(0, 3, 1, 2))).build();
  }

  private static Output scores(Graph g, Output images) {
    Output small =
        g.op("ResizeBilinear")
            .input(images)
            .input(g.constant(Tensor.vector(2, 3)))
            .attr("half_pixel_centers", true)
            .build()
            .mul(1 / 255f);
    Output noise =
        g.op("StatelessRandomUniform")
            .input(g.constant(Tensor.vector(2, 2, 3, 1)))
            .input(g.constant(Tensor.vector(3L, 4L)))
            .attr("dtype", DataType.FLOAT32)
            .build();
    Output rows =
        g.op("Reshape").input(small.add(noise)).input(g.constant(Tensor.vector(2, 6))).build();
    float[] weights = new float[12];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (i % 5 - 2) * 0.1f;
    }
    Output matrix = g.constant(Tensor.of(DataType.FLOAT32, Shape.of(6, 2), weights));
    return g.op("Softmax").input(g.op("MatMul").input(rows).input(matrix).build()).build();
  }

  private static String failure(Runnable action) {
    try {
      action.run();
    } catch (StatusException e) {
      return e.code() + ": " + e.message();
    }
    return "no error";
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }

  static void pipelines(CheckedMachine machine, CheckPoints points) {
    List<Accelerator> gpus = open(machine, GROWING);
    try (DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        WorkerServer worker =
            new WorkerServer(
                WorkerConfig.forDispatcher(dispatcher.address()),
                WorkerHost.ofProcess().withAccelerators(gpus))) {
      worker.start();
      int rows = machine.scale().rows();
      UnaryOperator<Output> normalize =
          x -> x.cast(DataType.UINT8).cast(DataType.FLOAT32).sub(127.5f).mul(1 / 127.5f).abs();
      points.check("rows, bit by bit", () -> compare(dispatcher, Dataset.range(rows), normalize));
      points.check(
          "batches, bit by bit",
          () -> compare(dispatcher, Dataset.range(rows).batch(10), normalize));
      points.check(
          "an op that runs on the CPU beside",
          () -> compare(dispatcher, Dataset.range(rows), SystemParts::text));
      points.check(
          "the error of a row is its own",
          () -> {
            int read = 0;
            try {
              for (Element _ :
                  distributed(
                      dispatcher, Dataset.range(40).map(pinned(SystemParts::inverse)::apply))) {
                read++;
              }
            } catch (RuntimeException e) {
              require(StatusException.codeOf(e) == StatusCode.INVALID_ARGUMENT, e.toString());
              require(read == 20, read + " rows before it, not 20");
              return "after 20 rows";
            }
            throw new IllegalStateException("no error");
          });
    } finally {
      Accelerator.closeAll(gpus);
    }
  }

  private static Output text(Output x) {
    return GraphBuilder.current().op("AsString").input(x.mul(3L)).attr("T", DataType.INT64).build();
  }

  private static Output inverse(Output x) {
    return GraphBuilder.current().op("Div").input(x).input(x.sub(20L)).build();
  }

  private static UnaryOperator<Output> pinned(UnaryOperator<Output> of) {
    return x -> {
      try (var _ = Ops.device("/gpu:0")) {
        return of.apply(x);
      }
    };
  }

  private static Dataset distributed(DispatchServer dispatcher, Dataset dataset) {
    return dataset.apply(
        DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
  }

  private static String compare(
      DispatchServer dispatcher, Dataset source, UnaryOperator<Output> function) {
    List<String> expected = texts(source.map(function::apply));
    List<String> actual = texts(distributed(dispatcher, source.map(pinned(function)::apply)));
    require(expected.equals(actual), "the elements differ: %s, not %s".formatted(actual, expected));
    return expected.size() + " elements";
  }

  private static List<String> texts(Dataset dataset) {
    List<String> texts = new ArrayList<>();
    for (Element element : dataset) {
      texts.add(element.components().toString());
    }
    return texts;
  }
}
