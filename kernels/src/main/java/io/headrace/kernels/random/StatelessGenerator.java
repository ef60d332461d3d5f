package io.headrace.kernels.random;

import io.headrace.runtime.op.KernelCall;

/** The inputs that a stateless random op has its generator from, behind a shape in input 0. */
enum StatelessGenerator {
  /** Two seeds, in input 1. */
  SEED {
    @Override
    void check(KernelCall call) {
      StatelessSeeds.checkShape(call.input(1));
    }

    @Override
    Philox find(KernelCall call) {
      return StatelessSeeds.scramble(call.input(1));
    }
  },
  /** Key, counter and algorithm, in inputs 1 to 3. */
  KEY_COUNTER_ALG {
    @Override
    void check(KernelCall call) {
      StatelessSeeds.checkKeyCounterAlg(call);
    }

    @Override
    Philox find(KernelCall call) {
      return StatelessSeeds.ofKeyCounterAlg(call);
    }
  };

  /** INVALID_ARGUMENT for inputs that TensorFlow refuses even where it draws nothing. */
  abstract void check(KernelCall call);

  /** The generator of a call; INVALID_ARGUMENT if there is none. */
  abstract Philox find(KernelCall call);
}
