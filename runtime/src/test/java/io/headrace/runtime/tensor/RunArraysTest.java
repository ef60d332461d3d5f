package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which arrays of a run are given to later values. */
final class RunArraysTest {
  private static final Shape SHAPE = Shape.of(5, 1000);
  private static final @Nullable Tensor[] NONE = {};

  private RunArrays run = RunArrays.begin();

  @BeforeEach
  void beginOnTheThread() {
    run.close();
    run = RunArrays.begin();
  }

  @AfterEach
  void end() {
    run.close();
  }

  private static Tensor allocated() {
    return Tensor.wrap(DataType.FLOAT32, SHAPE, TensorLimit.allocateUnset(DataType.FLOAT32, SHAPE));
  }

  @Test
  void array_isGivenToTheNextValueOfItsSize() {
    Tensor value = allocated();
    run.recycle(value, NONE);

    Object smaller = TensorLimit.allocateUnset(DataType.FLOAT32, Shape.of(4999));
    Object ofAnotherType = TensorLimit.allocateUnset(DataType.INT32, SHAPE);
    assertThat(smaller).isNotSameAs(value.array());
    assertThat(ofAnotherType).isNotSameAs(value.array());
    assertThat(allocated().array()).isSameAs(value.array());
    assertThat(allocated().array()).isNotSameAs(value.array());
  }

  @Test
  void zeros_areZeros_inAUsedArray() {
    Tensor value = allocated();
    Arrays.fill((float[]) value.array(), 7f);
    run.recycle(value, NONE);

    Object zeros = TensorLimit.allocate(DataType.FLOAT32, SHAPE);

    assertThat(zeros).isSameAs(value.array());
    assertThat((float[]) zeros).containsOnly(0f);
  }

  @Test
  void array_thatAnotherValueLiesIn_isKept() {
    Tensor value = allocated();
    Tensor view = value.reshape(Shape.of(5000));
    run.recycle(value, new @Nullable Tensor[] {null, view});
    assertThat(allocated().array()).isNotSameAs(value.array());

    run.recycle(view, NONE);
    assertThat(allocated().array()).isSameAs(value.array());
  }

  @Test
  void arraysOfOthers_areNeverGivenAway() {
    Tensor argument = Tensor.wrap(DataType.FLOAT32, SHAPE, new float[5000]);
    Tensor kept = allocated();
    Tensor piece = allocated();
    Tensor sinceThen = allocated();
    run.keepSince(run.count() - 1);
    run.keep(kept);
    run.keep(Tensor.join(DataType.FLOAT32, Shape.of(10, 1000), List.of(piece, argument)));

    for (Tensor value : List.of(argument, kept, piece, sinceThen)) {
      run.recycle(value, NONE);
      assertThat(allocated().array()).isNotSameAs(value.array());
    }
  }

  @Test
  void runWithinARun_givesBackItsOwnArrays() {
    Tensor outer = allocated();
    Tensor inner;
    try (RunArrays within = RunArrays.begin()) {
      inner = allocated();
      within.recycle(outer, NONE);
      assertThat(allocated().array()).isNotSameAs(outer.array());
    }
    run.recycle(inner, NONE);
    assertThat(allocated().array()).isNotSameAs(inner.array());
    run.recycle(outer, NONE);
    assertThat(allocated().array()).isSameAs(outer.array());
  }

  @Test
  void smallArrays_andTooManyBytes_areLeftToTheCollector() {
    Shape small = Shape.of(100);
    Tensor value =
        Tensor.wrap(DataType.FLOAT32, small, TensorLimit.allocateUnset(DataType.FLOAT32, small));
    run.recycle(value, NONE);
    assertThat(TensorLimit.allocateUnset(DataType.FLOAT32, small)).isNotSameAs(value.array());

    // Of two, one is kept.
    Shape large = Shape.of(ArrayPool.MAX_BYTES / Float.BYTES / 3 * 2);
    Object first = TensorLimit.allocateUnset(DataType.FLOAT32, large);
    Object second = TensorLimit.allocateUnset(DataType.FLOAT32, large);
    run.recycle(Tensor.wrap(DataType.FLOAT32, large, first), NONE);
    run.recycle(Tensor.wrap(DataType.FLOAT32, large, second), NONE);
    assertThat(TensorLimit.allocateUnset(DataType.FLOAT32, large)).isSameAs(second);
    assertThat(TensorLimit.allocateUnset(DataType.FLOAT32, large)).isNotSameAs(first);
  }

  @Test
  void threads_haveArraysOfTheirOwn() {
    Tensor value = allocated();
    run.recycle(value, NONE);

    Executor another = task -> Thread.ofPlatform().start(task);
    Tensor elsewhere = CompletableFuture.supplyAsync(RunArraysTest::allocated, another).join();
    Tensor onVirtual =
        CompletableFuture.supplyAsync(RunArraysTest::allocated, Thread::startVirtualThread).join();

    assertThat(elsewhere.array()).isNotSameAs(value.array());
    assertThat(onVirtual.array()).isNotSameAs(value.array());
    assertThat(allocated().array()).isSameAs(value.array());
  }
}
