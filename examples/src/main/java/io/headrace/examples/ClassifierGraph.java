package io.headrace.examples;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Variable;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The graph of one trainer in between-graph replicated training: an image classifier with a hidden
 * layer of rectified linear units, its softmax cross-entropy loss, and a gradient descent step.
 *
 * <p>The parameters are on task 0 of job ps, and shared by name among the graphs of all trainers;
 * everything else runs on the trainer's own device of job worker. Trainers' steps are asynchronous.
 */
public final class ClassifierGraph {
  private static final String PARAMETERS = "/job:ps/task:0";
  private static final int HIDDEN = 128;

  private final String device;
  private final Graph graph = new Graph();
  private final List<Variable> parameters = new ArrayList<>();
  private final Output images;
  private final Output labels;
  private final Output loss;
  private final Output right;
  private final Output step;
  private final Output ready;
  private final Operation initializer;

  /**
   * The graph of trainer {@code task}.
   *
   * @param task the task of job worker that computes
   * @param learningRate the factor of gradients
   */
  public ClassifierGraph(int task, float learningRate) {
    this(WorkerGpus.NONE.device(task), learningRate);
  }

  /**
   * The graph of a trainer whose worker has a GPU.
   *
   * @param device the device that computes, of a task of job worker. Ops without a kernel for a GPU
   *     need soft placement there
   * @param learningRate the factor of gradients
   */
  public ClassifierGraph(String device, float learningRate) {
    this.device = device;
    Variable globalStep;
    try (var _ = graph.device(PARAMETERS)) {
      globalStep = graph.variable("global_step", Tensor.scalar(0L));
      initialize("hidden", FashionMnist.PIXELS, HIDDEN, 1);
      initialize("output", HIDDEN, FashionMnist.CLASSES, 2);
      initializer = graph.initializer();
    }
    try (var _ = graph.device(device)) {
      images = graph.placeholder(DataType.FLOAT32, Shape.of(-1, 28, 28));
      labels = graph.placeholder(DataType.INT32, Shape.of(-1));
      Output hidden =
          graph.op("Relu").input(layer(images.reshape(-1, FashionMnist.PIXELS), 0)).build();
      Output scores = layer(hidden, 2);
      loss = crossEntropy(scores).mean(0);
      Output found =
          graph
              .op("ArgMax")
              .input(scores)
              .input(Tensor.scalar(1))
              .attr("output_type", DataType.INT32)
              .build();
      right = found.equalTo(labels).cast(DataType.INT32).sum(0);
    }
    step = descend(globalStep, gradients(), learningRate);
    ready = allInitialized(globalStep);
  }

  /** Adds a layer's weights, random with a fixed seed, and its biases. */
  private void initialize(String layer, long inputs, long outputs, int seed) {
    Output weights =
        graph
            .op("StatelessTruncatedNormal")
            .input(Tensor.vector(inputs, outputs))
            .input(Tensor.vector(seed, 0))
            .attr("dtype", DataType.FLOAT32)
            .build()
            .mul(Math.sqrt(2.0 / inputs));
    parameters.add(graph.variable(layer + "/weights", weights));
    Tensor biases = Tensor.wrap(DataType.FLOAT32, Shape.of(outputs), new float[(int) outputs]);
    parameters.add(graph.variable(layer + "/biases", biases));
  }

  private Output layer(Output input, int first) {
    Output product = input.matmul(parameters.get(first).value());
    return graph.op("BiasAdd").input(product).input(parameters.get(first + 1).value()).build();
  }

  private Output crossEntropy(Output scores) {
    return graph
        .op("SparseSoftmaxCrossEntropyWithLogits")
        .input(scores)
        .input(labels)
        .buildOperation()
        .outputs()
        .getFirst();
  }

  private List<Output> gradients() {
    try (var _ = graph.device(device)) {
      return graph.gradients(loss, parameters.stream().map(Variable::value).toList());
    }
  }

  /** Updates the parameters, and then increments the global step, which is the result. */
  private Output descend(Variable globalStep, List<Output> gradients, float learningRate) {
    List<Operation> changes = new ArrayList<>();
    try (var _ = graph.device(PARAMETERS)) {
      Output rate = graph.constant(learningRate);
      for (int i = 0; i < gradients.size(); i++) {
        changes.add(parameters.get(i).descend(gradients.get(i), rate));
      }
      NodeBuilder count =
          graph.op("AssignAddVariableOp").input(globalStep.handle()).input(Tensor.scalar(1L));
      changes.forEach(count::after);
      return graph
          .op("ReadVariableOp")
          .input(globalStep.handle())
          .attr("dtype", DataType.INT64)
          .after(count.buildOperation())
          .build();
    }
  }

  private Output allInitialized(Variable globalStep) {
    Output all = isInitialized(globalStep);
    for (Variable parameter : parameters) {
      all = all.and(isInitialized(parameter));
    }
    return all;
  }

  private Output isInitialized(Variable variable) {
    return graph.op("VarIsInitializedOp").input(variable.handle()).build();
  }

  /** The device that computes all but the parameters. */
  public String device() {
    return device;
  }

  /** The graph. */
  public Graph graph() {
    return graph;
  }

  /** The parameters, float32: weights and biases of the hidden layer, then of the output layer. */
  public List<Variable> parameters() {
    return List.copyOf(parameters);
  }

  /** The placeholder of images, float32 [size, 28, 28]. */
  public Output images() {
    return images;
  }

  /** The placeholder of their classes, int32 [size]. */
  public Output labels() {
    return labels;
  }

  /** The mean loss of a batch, float32 scalar. */
  public Output loss() {
    return loss;
  }

  /** The number of correctly classified images of a batch, int32 scalar. */
  public Output right() {
    return right;
  }

  /** Learns from a batch; the global step after it, int64 scalar. */
  public Output step() {
    return step;
  }

  /** Whether all variables are initialized, bool scalar. */
  public Output ready() {
    return ready;
  }

  /** Initializes all variables. */
  public Operation initializer() {
    return initializer;
  }
}
