package io.headrace.kernels.random;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.runtime.op.DrawingKernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.function.LongSupplier;

/** A kernel that fills a tensor with samples of a kind that other devices know, too. */
final class DrawKernel implements DrawingKernel {
  private final Rule rule;

  /** Tells what a call draws. */
  @FunctionalInterface
  interface Rule {
    /** See {@link DrawingKernel#draw}. */
    Draw draw(KernelCall call);
  }

  private DrawKernel(Rule rule) {
    this.rule = rule;
  }

  /** A kernel that draws what {@code rule} tells. */
  static DrawingKernel of(Rule rule) {
    return new DrawKernel(rule);
  }

  /** A stateful op that fills a tensor, whose shape is its input, with samples. */
  static Op stateful(String name, SampleKind kind, LongSupplier entropy) {
    return RandomKernels.declaredStateful(name)
        .runsOnGpu("shape")
        .kernel(node -> {
          SharedPhilox generator = RandomKernels.seeded(node.attrs(), entropy);
          DataType dtype = node.outputTypes().getFirst();
          return of(call -> {
            Shape shape = ShapeInputs.shape(call.input(0));
            long blocks = shape.elements() * RandomKernels.BLOCKS_PER_OUTPUT;
            return draw(kind, dtype, shape, generator.reserve(blocks));
          });
        });
  }

  /** A stateless op with the inputs shape, key, counter and alg. */
  static Op statelessV2(String name, SampleKind kind) {
    return RandomKernels.declaredStatelessV2(name)
        .runsOnGpu("shape", "key", "counter", "alg")
        .kernel(node -> stateless(node, StatelessGenerator.KEY_COUNTER_ALG, kind));
  }

  /** A stateless op with the inputs shape and seed. */
  static Op stateless(String name, SampleKind kind) {
    return RandomKernels.declaredStateless(name)
        .runsOnGpu("shape", "seed")
        .kernel(node -> stateless(node, StatelessGenerator.SEED, kind));
  }

  /** The kernel that fills a tensor of the shape in input 0. */
  static DrawingKernel stateless(NodeSpec node, StatelessGenerator generator, SampleKind kind) {
    DataType dtype = node.outputTypes().getFirst();
    return of(call -> {
      generator.check(call);
      Shape shape = ShapeInputs.shape(call.input(0));
      return shape.elements() == 0
          ? nothing(dtype, shape)
          : draw(kind, dtype, shape, generator.find(call));
    });
  }

  /** Samples of {@code generator}, from its next block on. */
  static Draw draw(SampleKind kind, DataType dtype, Shape shape, Philox generator) {
    return new Draw(
        kind, dtype, shape, generator.key(), generator.counterLow(), generator.counterHigh(), 0, 0);
  }

  /** Integers from {@code low} up to, excluding, {@code high}. */
  static Draw draw(DataType dtype, Shape shape, Philox generator, long low, long high) {
    return new Draw(
        SampleKind.UNIFORM_INTEGERS,
        dtype,
        shape,
        generator.key(),
        generator.counterLow(),
        generator.counterHigh(),
        low,
        high - low);
  }

  /** A tensor without elements. */
  static Draw nothing(DataType dtype, Shape shape) {
    return new Draw(SampleKind.BITS, dtype, shape, 0, 0, 0, 0, 0);
  }

  @Override
  public Draw draw(KernelCall call) {
    return rule.draw(call);
  }

  @Override
  public void compute(KernelCall call) {
    Draw draw = draw(call);
    Object array = TensorLimit.allocateUnset(draw.dtype(), draw.shape());
    if (draw.shape().elements() > 0) {
      fill(draw, array, call.cancellation());
    }
    call.setOutput(0, Tensor.wrap(draw.dtype(), draw.shape(), array));
  }

  private static void fill(Draw draw, Object array, Cancellation stop) {
    Philox generator = Philox.ofKeyAndCounter(draw.key(), draw.counterLow(), draw.counterHigh());
    int n = draw.shape().elements();
    switch (draw.kind()) {
      case UNIFORM -> Distributions.uniform(generator, draw.dtype(), array, n, stop);
      case UNIFORM_INTEGERS ->
          Distributions.uniform(generator, array, n, draw.low(), draw.range(), stop);
      case BITS -> Distributions.bits(generator, array, n, stop);
      case NORMAL -> Distributions.normal(generator, draw.dtype(), array, n, stop);
      case TRUNCATED_NORMAL ->
          Distributions.truncatedNormal(generator, draw.dtype(), array, n, stop);
    }
  }
}
