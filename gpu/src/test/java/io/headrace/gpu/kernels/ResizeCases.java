package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Cases of the ops that resize images: larger, smaller, single pixels, all kinds of centers. */
final class ResizeCases {
  private final DataType dtype;
  private final TestValues values;
  private final List<WrittenCase> cases = new ArrayList<>();

  private ResizeCases(DataType dtype) {
    this.dtype = dtype;
    this.values = new TestValues(dtype.number());
  }

  /** The cases of a dtype. */
  static List<WrittenCase> of(DataType dtype) {
    ResizeCases all = new ResizeCases(dtype);
    all.grids();
    if (dtype != DataType.BFLOAT16) { // which CropAndResize does not take
      all.crops();
    }
    all.samples();
    return all.cases;
  }

  private Tensor images(long... sizes) {
    return dtype.isFloating()
        ? values.numbers(dtype, Shape.of(sizes), -100, 100)
        : values.tensor(dtype, Shape.of(sizes));
  }

  private void grids() {
    for (String op : List.of("ResizeBilinear", "ResizeNearestNeighbor")) {
      for (boolean corners : new boolean[] {false, true}) {
        for (boolean centers : new boolean[] {false, true}) {
          grid(op, images(2, 5, 7, 3), Tensor.vector(8, 4), corners, centers);
          grid(op, images(1, 3, 4, 1), Tensor.vector(17, 31), corners, centers);
        }
      }
      grid(op, images(2, 1, 1, 4), Tensor.vector(3, 2), true, false);
      grid(op, images(1, 6, 5, 2), Tensor.vector(1, 1), true, false);
      grid(op, images(1, 6, 5, 2), Tensor.vector(0, 1), false, false);
      grid(op, images(1, 6, 5, 2), Tensor.vector(2, 1, 1), false, false);
      grid(op, images(1, 0, 5, 2), Tensor.vector(2, 1), false, false);
      grid(op, images(6, 5, 2), Tensor.vector(2, 1), false, false);
      grid(op, images(0, 6, 5, 2), Tensor.vector(2, 1), false, false);
    }
  }

  private void grid(String op, Tensor images, Tensor size, boolean corners, boolean centers) {
    cases.add(
        WrittenCase.of(
            op,
            List.of(images, size),
            "T",
            dtype,
            "align_corners",
            corners,
            "half_pixel_centers",
            centers));
  }

  private void crops() {
    float[] corners = {
      0, 0, 1, 1, 0.1f, 0.2f, 0.7f, 0.9f, -0.3f, 0.5f, 1.2f, 0.6f, 0.9f, 0.8f, 0.2f, 0.1f
    };
    Tensor boxes = Tensor.of(DataType.FLOAT32, Shape.of(4, 4), corners);
    Tensor of = Tensor.vector(1, 0, 1, 0);
    for (String method : List.of("bilinear", "nearest")) {
      crop(boxes, of, Tensor.vector(4, 9), method);
      crop(boxes, of, Tensor.vector(1, 3), method);
      crop(boxes, of, Tensor.vector(3, 1), method);
    }
    crop(boxes, of, Tensor.vector(3, 0), "bilinear");
    crop(boxes, Tensor.vector(1, 0, 2, 0), Tensor.vector(2, 2), "bilinear");
    crop(boxes, Tensor.vector(1, 0, 0, -1), Tensor.vector(2, 2), "bilinear");
    crop(boxes, Tensor.vector(1, 0), Tensor.vector(2, 2), "bilinear");
    for (int i = 0; i < 4; i++) {
      float[] infinite = {0, 0, 1, 1};
      infinite[i] = i == 0 ? Float.NaN : Float.POSITIVE_INFINITY;
      Tensor box = Tensor.of(DataType.FLOAT32, Shape.of(1, 4), infinite);
      crop(box, Tensor.vector(new int[] {1}), Tensor.vector(2, 2), "nearest");
    }
  }

  private void crop(Tensor boxes, Tensor of, Tensor size, String method) {
    cases.add(
        WrittenCase.of(
            "CropAndResize",
            List.of(images(2, 6, 5, 3), boxes, of, size),
            "T",
            dtype,
            "method",
            method,
            "extrapolation_value",
            0.75f));
  }

  private void samples() {
    for (String kind : List.of("lanczos3", "gaussian", "triangle", "keyscubic")) {
      sample(images(2, 5, 7, 3), new int[] {8, 4}, new float[] {1.6f, 0.6f}, kind, true);
      sample(images(1, 9, 8, 1), new int[] {3, 17}, new float[] {0.3f, 2}, kind, false);
    }
    sample(images(1, 2, 25, 1), new int[] {2, 3}, new float[] {1, 0.12f}, "lanczos3", true);
    sample(images(1, 4, 4, 2), new int[] {9, 20}, new float[] {0.5f, 0.5f}, "box", true);
    sample(images(1, 4, 4, 2), new int[] {2, 2}, new float[] {0, 1}, "box", true);
    sample(images(4, 4, 2), new int[] {2, 2}, new float[] {1, 1}, "box", true);
  }

  private void sample(Tensor images, int[] size, float[] scale, String kind, boolean antialias) {
    cases.add(
        WrittenCase.of(
            "ScaleAndTranslate",
            List.of(images, Tensor.vector(size), Tensor.vector(scale), Tensor.vector(0.25f, -1)),
            "T",
            dtype,
            "kernel_type",
            kind,
            "antialias",
            antialias));
  }
}
