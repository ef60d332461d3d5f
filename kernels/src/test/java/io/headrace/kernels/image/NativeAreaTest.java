package io.headrace.kernels.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.kit.NativeLoops;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeAreaTest {
  /** Sizes of the images and of the results, and whether corners are aligned. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 4, 5, false", "1, 3, 2, 7, true", "2, 2, 5, 5, true", "5, 7, 1, 1, false",
    "37, 53, 20, 19, true", "20, 19, 37, 53, false", "64, 48, 64, 48, false",
        "700, 301, 17, 96, false"
  })
  void resize(int inHeight, int inWidth, int outHeight, int outWidth, boolean alignCorners) {
    ResizeGrid grid =
        new ResizeGrid(
            2,
            inHeight,
            inWidth,
            outHeight,
            outWidth,
            3,
            ResizeGrid.scale(inHeight, outHeight, alignCorners),
            ResizeGrid.scale(inWidth, outWidth, alignCorners));
    ResizeAreaOps.Areas rows = ResizeAreaOps.Areas.of(inHeight, outHeight, grid.heightScale());
    ResizeAreaOps.Areas columns = ResizeAreaOps.Areas.of(inWidth, outWidth, grid.widthScale());
    Shape shape = Shape.of(2, inHeight, inWidth, 3);
    Random random = new Random(1);
    byte[] bytes = new byte[shape.elements()];
    random.nextBytes(bytes);
    float[] floats = new float[shape.elements()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = random.nextInt(50) == 0 ? Float.POSITIVE_INFINITY : random.nextFloat() * 300 - 20;
    }
    for (Tensor images :
        new Tensor[] {
          Tensor.wrap(DataType.UINT8, shape, bytes), Tensor.wrap(DataType.FLOAT32, shape, floats)
        }) {
      assertThat(NativeArea.takes(images)).isTrue();
      float[] expected = new float[grid.outShape().elements()];
      ResizeAreaOps.resize(images, grid, rows, columns, expected, new Cancellation());
      for (NativeLoops loops : NativeLoops.levels()) {
        float[] out = new float[expected.length];
        NativeArea.of(loops).resize(images, grid, rows, columns, out, new Cancellation());
        assertThat(out).as("%s", loops).isEqualTo(expected);
      }
    }
  }
}
