package io.headrace.examples;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Shuffle;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Fashion-MNIST: grey images of 28 x 28 pixels, of ten classes of clothing. Its files are gzipped
 * idx: a header, then records of one length, which fixed-length record datasets read.
 *
 * @param trainImages the file of training images
 * @param trainLabels the file of their labels
 * @param trainCount the number of training images, from the first
 * @param testImages the file of test images
 * @param testLabels the file of their labels
 * @param testSkip the number of images, from the first, that are not test images
 */
public record FashionMnist(
    Path trainImages,
    Path trainLabels,
    int trainCount,
    Path testImages,
    Path testLabels,
    int testSkip) {
  static final int PIXELS = 28 * 28;
  static final int CLASSES = 10;

  private static final int IMAGE_HEADER_BYTES = 16;
  private static final int LABEL_HEADER_BYTES = 8;
  private static final int SHIPPED_TRAIN_COUNT = 8_000;
  private static final int INSTALLED_TRAIN_COUNT = 60_000;
  private static final Path INSTALLED = Path.of("/usr/share/datasets/fashion-mnist");

  /**
   * All 70,000 images where Debian's package dataset-fashion-mnist is installed. Otherwise the
   * 10,000 shipped ones, unpacked into {@code folder}: 8,000 for training, the others for tests.
   */
  public static FashionMnist find(Path folder) throws IOException {
    Path installed = INSTALLED.resolve("train-images-idx3-ubyte.gz");
    if (Files.isReadable(installed)) {
      return new FashionMnist(
          installed,
          INSTALLED.resolve("train-labels-idx1-ubyte.gz"),
          INSTALLED_TRAIN_COUNT,
          INSTALLED.resolve("t10k-images-idx3-ubyte.gz"),
          INSTALLED.resolve("t10k-labels-idx1-ubyte.gz"),
          0);
    }
    Path images = unpack("t10k-images-idx3-ubyte.gz", folder);
    Path labels = unpack("t10k-labels-idx1-ubyte.gz", folder);
    return new FashionMnist(
        images, labels, SHIPPED_TRAIN_COUNT, images, labels, SHIPPED_TRAIN_COUNT);
  }

  private static Path unpack(String name, Path folder) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream in = FashionMnist.class.getResourceAsStream("fashion-mnist/" + name)) {
      if (in == null) {
        throw new IOException("the jar lacks fashion-mnist/" + name);
      }
      Files.copy(in, file);
    }
    return file;
  }

  /** Batches of augmented training images, float32 [size, 28, 28], and labels, int32 [size]. */
  public Dataset train(long batchSize) {
    return records(trainImages, trainLabels)
        .take(trainCount)
        .shuffle(trainCount, Shuffle.RANDOM)
        .map(
            (image, label) -> List.of(augment(decode(image)), decodeLabel(label)), Dataset.AUTOTUNE)
        .batch(batchSize, Dataset.DROP_REMAINDER)
        .prefetch(Dataset.AUTOTUNE);
  }

  /** Batches of test images and labels, without augmentation. */
  public Dataset test(long batchSize) {
    return records(testImages, testLabels)
        .skip(testSkip)
        .map((image, label) -> List.of(decode(image), decodeLabel(label)))
        .batch(batchSize);
  }

  private static Dataset records(Path images, Path labels) {
    return Dataset.zip(
        Dataset.fixedLengthRecords(
            PIXELS, IMAGE_HEADER_BYTES, 0, Compression.GZIP, images.toString()),
        Dataset.fixedLengthRecords(1, LABEL_HEADER_BYTES, 0, Compression.GZIP, labels.toString()));
  }

  private static Output decode(Output bytes) {
    return bytes.decodeRaw(DataType.UINT8).reshape(28, 28).cast(DataType.FLOAT32).div(255);
  }

  private static Output decodeLabel(Output bytes) {
    return bytes.decodeRaw(DataType.UINT8).reshape().cast(DataType.INT32);
  }

  /**
   * Mirrors half of the images, and scales the brightness of each by a random factor from 0.9 to
   * 1.1.
   */
  private static Output augment(Output image) {
    Output mirrored = Ops.randomUniform(0, 0).less(0.5).select(image.reverse(1), image);
    Output brightness = Ops.randomUniform(0, 0).mul(0.2).add(0.9);
    return mirrored.mul(brightness);
  }
}
