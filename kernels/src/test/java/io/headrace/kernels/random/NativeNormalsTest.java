package io.headrace.kernels.random;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.kit.NativeLoops;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NativeNormalsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 63, 64, 65, 4096, 5000, 50_000})
  void normals_areThoseOfJava(int blocks) {
    Random random = new Random(blocks);
    // A counter that carries into its high half within the blocks.
    Philox gen = Philox.ofKeyAndCounter(random.nextLong(), -Math.min(40, blocks / 2), -1);
    for (NativeLoops loops : NativeLoops.levels()) {
      Philox ahead = gen.copy();
      float[] normals = new float[4 * blocks + 3];
      NativeNormals.of(loops).orElseThrow().fill(ahead, normals, blocks, new Cancellation());

      Philox inJava = gen.copy();
      float[] expected = new float[normals.length];
      Distributions.normalInJava(
          inJava, DataType.FLOAT32, expected, 0, 4 * blocks, new Cancellation());
      assertThat(normals).as(loops.toString()).isEqualTo(expected);
      assertThat(ahead.counterLow()).isEqualTo(inJava.counterLow());
      assertThat(ahead.counterHigh()).isEqualTo(inJava.counterHigh());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 4097, 16_387})
  void normal_ofAnyLength_isThatOfJava(int length) {
    float[] normals = new float[length];
    Distributions.normal(
        Philox.ofSeeds(1, 2), DataType.FLOAT32, normals, length, new Cancellation());

    float[] expected = new float[length];
    Distributions.normalInJava(
        Philox.ofSeeds(1, 2), DataType.FLOAT32, expected, 0, length, new Cancellation());
    assertThat(normals).isEqualTo(expected);
  }
}
