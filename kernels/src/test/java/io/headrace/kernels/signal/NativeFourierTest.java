package io.headrace.kernels.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.kit.NativeLoops;
import io.headrace.runtime.status.Cancellation;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeFourierTest {
  private static double[] numbers(int count, int seed) {
    Random random = new Random(seed);
    return random.doubles(count, -1, 1).toArray();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 2, 3, 4, 5, 8, 13, 16, 20, 22, 32, 63, 64, 143, 200, 256, 1001, 1024, 4096})
  void transform(int length) {
    double[] re = numbers(length, 1);
    double[] im = numbers(length, 2);
    ComplexFft fourier = ComplexFft.of(length);
    fourier.stages(re, im);
    for (NativeLoops loops : NativeLoops.levels()) {
      double[] nativeRe = numbers(length, 1);
      double[] nativeIm = numbers(length, 2);
      NativeFourier.of(loops).transform(fourier.plan(), nativeRe, nativeIm);
      assertThat(nativeRe).as("%s", loops).isEqualTo(re);
      assertThat(nativeIm).as("%s", loops).isEqualTo(im);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 6, 10, 26, 64, 400, 512, 1000, 2048})
  void spectra(int length) {
    int lines = 3;
    int step = length + 1;
    float[] in = new float[2 + step * lines];
    double[] numbers = numbers(in.length, 3);
    for (int i = 0; i < in.length; i++) {
      in[i] = (float) numbers[i];
    }
    RealFft fourier = new RealFft(length);
    int size = fourier.spectrumLength();
    float[] expected = new float[2 * size * lines];
    double[] line = new double[length];
    double[] re = new double[size];
    double[] im = new double[size];
    for (int l = 0; l < lines; l++) {
      for (int i = 0; i < length; i++) {
        line[i] = in[2 + l * step + i];
      }
      fourier.forward(line, re, im);
      for (int i = 0; i < size; i++) {
        expected[2 * (l * size + i)] = (float) re[i];
        expected[2 * (l * size + i) + 1] = (float) im[i];
      }
    }
    assertThat(fourier.isForNativeLoops()).isTrue();
    for (NativeLoops loops : NativeLoops.levels()) {
      float[] out = new float[expected.length];
      fourier.spectra(NativeFourier.of(loops), in, 2, step, lines, out, new Cancellation());
      assertThat(out).as("%s", loops).isEqualTo(expected);
    }
  }
}
