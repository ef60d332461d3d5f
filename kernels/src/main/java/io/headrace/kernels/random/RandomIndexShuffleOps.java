package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** RandomIndexShuffle: the positions of numbers in a pseudorandom permutation. */
final class RandomIndexShuffleOps {
  private static final String INTEGERS = "{int32, uint32, int64, uint64}";
  private static final int KEYS = 3;

  private RandomIndexShuffleOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RandomIndexShuffle(index: dtype, seed: Tseed, max_index: dtype) -> output: dtype")
            .attrs("rounds: int = 4", "dtype: " + INTEGERS, "Tseed: " + INTEGERS)
            .shape(in -> List.of(shape(in.shape(0), in.shape(1), in.shape(2))))
            .remark(
                "An index above max_index is INVALID_ARGUMENT; TensorFlow may search without end.")
            .kernel(RandomIndexShuffleOps::kernel));
  }

  /** A scalar if all inputs are for one number, otherwise a vector. */
  private static Shape shape(Shape index, Shape seed, Shape maxIndex) {
    if (index.isUnknownRank() || seed.isUnknownRank() || maxIndex.isUnknownRank()) {
      return Shape.UNKNOWN;
    }
    if (index.rank() == 0 && seed.rank() == 1 && maxIndex.rank() == 0) {
      return Shape.SCALAR;
    }
    Shape vector = index.rank() == 1 ? index : seed.rank() == 2 ? seed : maxIndex;
    return Shape.of(vector.size(0));
  }

  private static Kernel.Sync kernel(NodeSpec node) {
    long rounds = node.attrs().integer("rounds");
    if (rounds < 4 || rounds > 1024 || rounds % 2 != 0) {
      throw invalidArgument("rounds must be even, at least 4 and at most 1024, and is %d", rounds);
    }
    return call -> compute(call, (int) rounds);
  }

  private static void compute(KernelCall call, int rounds) {
    Tensor index = call.input(0);
    Tensor seed = call.input(1);
    Tensor maxIndex = call.input(2);
    int count = Math.max(Math.max(index.elements(), maxIndex.elements()), seed.elements() / KEYS);
    if (index.shape().rank() != 0 && !isVector(index, count)) {
      throw invalidArgument("Index bust be a scalar or vector.");
    }
    boolean seedPerNumber =
        seed.shape().rank() == 2 && seed.shape().size(0) == count && seed.shape().size(1) == KEYS;
    if (!seedPerNumber && !isVector(seed, KEYS)) {
      throw invalidArgument(
          "Seed must be a vector of size [3] or a matrix of size [%d, 3] but got %s.",
          count, seed.shape());
    }
    if (maxIndex.shape().rank() != 0 && !isVector(maxIndex, count)) {
      throw invalidArgument(
          "Maxval must be a scalar or a vector of the same size as index but got %s",
          maxIndex.shape());
    }
    boolean scalar =
        index.shape().rank() == 0 && seed.shape().rank() == 1 && maxIndex.shape().rank() == 0;
    Shape shape = scalar ? Shape.SCALAR : Shape.of(count);
    Object array = TensorLimit.allocate(index.dtype(), shape);
    for (int i = 0; i < count; i++) {
      int key = seedPerNumber ? i * KEYS : 0;
      long max = integer(maxIndex, maxIndex.shape().rank() == 0 ? 0 : i);
      long at = integer(index, index.shape().rank() == 0 ? 0 : i);
      if (Long.compareUnsigned(at, max) > 0) {
        throw invalidArgument(
            "index must be at most max_index (%s), and is %s",
            Long.toUnsignedString(max), Long.toUnsignedString(at));
      }
      IndexShuffle shuffle =
          new IndexShuffle(
              (int) integer(seed, key),
              (int) integer(seed, key + 1),
              (int) integer(seed, key + 2),
              rounds,
              max);
      long result = shuffle.at(at);
      if (array instanceof int[] ints) {
        ints[i] = (int) result;
      } else {
        ((long[]) array)[i] = result;
      }
    }
    call.setOutput(0, Tensor.wrap(index.dtype(), shape, array));
  }

  private static boolean isVector(Tensor tensor, int size) {
    return tensor.shape().rank() == 1 && tensor.elements() == size;
  }

  /** The bits of element {@code i}: int32 is extended by its sign, uint32 by zeros. */
  private static long integer(Tensor tensor, int i) {
    return switch (TensorMemory.array(tensor)) {
      case int[] a ->
          tensor.dtype() == DataType.UINT32
              ? Integer.toUnsignedLong(a[TensorMemory.offset(tensor) + i])
              : a[TensorMemory.offset(tensor) + i];
      case long[] a -> a[TensorMemory.offset(tensor) + i];
      default -> throw new IllegalArgumentException("no integers: " + tensor.dtype());
    };
  }
}
