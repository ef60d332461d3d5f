package io.headrace.kernels.random;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;

/** The generators of stateless random ops, from their key and counter or their seed inputs. */
public final class StatelessSeeds {
  /** TensorFlow's id of the Philox algorithm. */
  static final int PHILOX = 1;

  /** TensorFlow's id that leaves the choice to the device; on the CPU, Philox. */
  private static final int AUTO_SELECT = 3;

  // Key that the seeds are encrypted with, so that weak seeds still give well-mixed keys.
  private static final long SCRAMBLE_KEY = 0x02461e293ec8f720L;

  private StatelessSeeds() {}

  /** INVALID_ARGUMENT if inputs 1, 2 and 3 do not have the shapes of key, counter and algorithm. */
  static void checkKeyCounterAlg(KernelCall call) {
    Tensor key = call.input(1);
    Tensor counter = call.input(2);
    Tensor algorithm = call.input(3);
    if (algorithm.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "algorithm must be of shape [], not %s", algorithm.shape());
    }
    if (key.shape().rank() != 1 || key.elements() != 1) {
      throw StatusException.invalidArgument("key must have shape [1], not %s", key.shape());
    }
    // TensorFlow takes the algorithm's id for the length of its counter.
    long length = isPhilox(algorithm) ? PHILOX : algorithm.integer(0);
    if (counter.shape().rank() != 1 || counter.elements() < length) {
      throw StatusException.invalidArgument(
          "counter must be a vector with length at least %d; got shape: %s. (Note that batched"
              + " counters are not supported yet.)",
          length, counter.shape());
    }
  }

  /** INVALID_ARGUMENT unless {@link #checkKeyCounterAlg} passes, and the algorithm is Philox. */
  static void checkPhilox(KernelCall call) {
    checkKeyCounterAlg(call);
    Tensor algorithm = call.input(3);
    if (!isPhilox(algorithm)) {
      throw StatusException.invalidArgument("Unsupported algorithm id: %d", algorithm.integer(0));
    }
  }

  private static boolean isPhilox(Tensor algorithm) {
    return algorithm.integer(0) == PHILOX || algorithm.integer(0) == AUTO_SELECT;
  }

  /**
   * The generator of inputs 1, 2 and 3: key, counter and algorithm. Of a counter of one element,
   * TensorFlow reads on behind it; it is INVALID_ARGUMENT.
   */
  static Philox ofKeyCounterAlg(KernelCall call) {
    checkPhilox(call);
    Tensor counter = call.input(2);
    if (counter.elements() < 2) {
      throw StatusException.invalidArgument(
          "counter must be a vector with length at least 2, not %s", counter.shape());
    }
    return Philox.ofKeyAndCounter(call.input(1).integer(0), counter.integer(0), counter.integer(1));
  }

  /** INVALID_ARGUMENT unless {@code seeds} is a vector of two. */
  static void checkShape(Tensor seeds) {
    if (seeds.shape().rank() != 1 || seeds.elements() != 2) {
      throw StatusException.invalidArgument("seed must have shape [2], not %s", seeds.shape());
    }
  }

  /** The generator for {@code seeds}; INVALID_ARGUMENT unless it is a vector of two. */
  public static Philox scramble(Tensor seeds) {
    checkShape(seeds);
    if (seeds.dtype() != DataType.INT32 && seeds.dtype() != DataType.INT64) {
      throw StatusException.invalidArgument("Invalid seed type: %s", seeds.dtype().tfName());
    }
    int[] mix = new int[Philox.BLOCK];
    Philox.ofKeyAndCounter(SCRAMBLE_KEY, seeds.integer(0), seeds.integer(1)).next(mix);
    return Philox.ofKeyAndCounter(join(mix[0], mix[1]), 0, join(mix[2], mix[3]));
  }

  private static long join(int low, int high) {
    return Integer.toUnsignedLong(low) | ((long) high << 32);
  }
}
