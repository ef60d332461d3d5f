package io.headrace.kernels.image;

import io.headrace.kernels.random.PhiloxStream;
import java.util.List;

/**
 * Draws crops of random area, aspect ratio and position for SampleDistortedBoundingBox, consuming
 * random numbers in TensorFlow's order.
 */
final class DistortedBoxSampler {
  /** Keeps half a pixel from being rounded up. */
  private static final float EPSILON = 0.0000001f;

  /**
   * The bounds of a crop.
   *
   * @param minAspect least aspect ratio, width / height
   * @param maxAspect greatest aspect ratio
   * @param minArea least area, as a fraction of the image's
   * @param maxArea greatest area, as a fraction of the image's
   */
  record Limits(float minAspect, float maxAspect, float minArea, float maxArea) {}

  /** A rectangle of pixels; the upper bounds are exclusive. */
  record Box(int minX, int minY, int maxX, int maxY) {
    float area() {
      return (maxX - minX) * (maxY - minY);
    }

    Box intersect(Box other) {
      int left = Math.max(minX, other.minX);
      int top = Math.max(minY, other.minY);
      int right = Math.min(maxX, other.maxX);
      int bottom = Math.min(maxY, other.maxY);
      return left > right || top > bottom ? new Box(0, 0, 0, 0) : new Box(left, top, right, bottom);
    }

    /** Whether this box covers at least {@code fraction} of one of {@code boxes}. */
    boolean covers(float fraction, List<Box> boxes) {
      if (area() < 1) {
        return false;
      }
      for (Box box : boxes) {
        if (box.area() >= 1 && intersect(box).area() / box.area() >= fraction) {
          return true;
        }
      }
      return false;
    }
  }

  private final Limits limits;
  private final int imageWidth;
  private final int imageHeight;
  private final PhiloxStream random;

  DistortedBoxSampler(Limits limits, int imageWidth, int imageHeight, PhiloxStream random) {
    this.limits = limits;
    this.imageWidth = imageWidth;
    this.imageHeight = imageHeight;
    this.random = random;
  }

  /**
   * Draws a crop that covers at least the fraction {@code minCovered} of one of {@code boxes}; the
   * whole image if none of {@code attempts} does.
   */
  Box draw(float minCovered, List<Box> boxes, int attempts) {
    boolean possible = imageWidth > 0 && imageHeight > 0 && limits.minArea <= limits.maxArea;
    for (int i = 0; i < attempts && possible; i++) {
      float unit = Float.intBitsToFloat((random.next() & 0x7fffff) | 0x3f800000) - 1f;
      float aspect = unit * (limits.maxAspect - limits.minAspect) + limits.minAspect;
      Box box = aspect > 0 ? draw(aspect) : new Box(0, 0, 0, 0);
      if (box.covers(minCovered, boxes)) {
        return box;
      }
    }
    return new Box(0, 0, imageWidth, imageHeight);
  }

  /** Draws a crop of the aspect ratio; an empty box if none fits the limits. */
  private Box draw(float aspect) {
    float minArea = limits.minArea * imageWidth * imageHeight;
    float maxArea = limits.maxArea * imageWidth * imageHeight;
    int maxHeight = Math.min(maxHeight(maxArea, aspect), imageHeight);
    int height = Math.min(rint((float) Math.sqrt(minArea / aspect)), maxHeight);
    if (height < maxHeight) {
      height += uniform(maxHeight - height + 1);
    }
    // Rounding may have moved the area out of its limits.
    if (rint(height * aspect) * height < minArea) {
      height++;
    }
    if (rint(height * aspect) * height > maxArea) {
      height--;
    }
    int width = rint(height * aspect);
    float area = width * height;
    boolean fits = area >= minArea && area <= maxArea && width > 0 && height > 0;
    if (!fits || width > imageWidth || height > imageHeight) {
      return new Box(0, 0, 0, 0);
    }
    int y = height < imageHeight ? uniform(imageHeight - height) : 0;
    int x = width < imageWidth ? uniform(imageWidth - width) : 0;
    return new Box(x, y, x + width, y + height);
  }

  /** The greatest height within the area limit and, with its width, within the image. */
  private int maxHeight(float maxArea, float aspect) {
    int height = rint((float) Math.sqrt(maxArea / aspect));
    if (rint(height * aspect) <= imageWidth) {
      return height;
    }
    height = (int) ((imageWidth + 0.5 - EPSILON) / aspect);
    return rint(height * aspect) > imageWidth ? height - 1 : height;
  }

  private static int rint(float x) {
    return (int) Math.rint(x);
  }

  /** A uniform integer in [0, n), by rejection unless {@code n} is a power of two. */
  private int uniform(int n) {
    if ((n & (n - 1)) == 0) {
      return random.next() & (n - 1);
    }
    int least = Integer.remainderUnsigned(-1, n) + 1;
    int sample = random.next();
    while (Integer.compareUnsigned(sample, least) < 0) {
      sample = random.next();
    }
    return Integer.remainderUnsigned(sample, n);
  }
}
