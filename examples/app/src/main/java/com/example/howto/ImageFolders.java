package com.example.howto;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ImageFolder;
import io.headrace.dataset.Shuffle;
import io.headrace.dataset.TypedIterator;
import io.headrace.runtime.graph.Images;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads a folder of images, a folder a class, through workers: decoded, resized, in batches. */
public final class ImageFolders {
  /** A batch: pixels from 0 to 1, [images, 64, 64, 3], and a label each. */
  @SuppressWarnings("ArrayRecordComponent")
  record Batch(FloatBuffer image, long[] label) {}

  private ImageFolders() {}

  /** The batches of the images, as a graph that workers run. */
  static Dataset batches(ImageFolder folder) {
    return Dataset.images(folder.resized(64, 64).shuffled(Shuffle.RANDOM))
        .mapElement(photo ->
            Map.of(
                "image", Images.toFloat(photo.get("image").output()),
                "label", photo.get("label").output()))
        .batch(16)
        .prefetch(2);
  }

  /** The number of images of each class, and their mean brightness, from 0 to 1. */
  record Brightness(long images, double mean) {}

  static Map<String, Brightness> brightness(ImageFolder folder, String target) {
    List<String> classes = folder.classNames();
    long[] images = new long[classes.size()];
    double[] sums = new double[classes.size()];
    Dataset shared = batches(folder).apply(DataService.distribute(ProcessingMode.DYNAMIC, target));
    try (TypedIterator<Batch> read = shared.as(Batch.class).iterator()) {
      while (read.hasNext()) {
        Batch batch = read.next();
        for (long label : batch.label()) {
          images[(int) label]++;
          sums[(int) label] += mean(batch.image());
        }
      }
    }
    Map<String, Brightness> result = new TreeMap<>();
    for (int i = 0; i < images.length; i++) {
      result.put(classes.get(i), new Brightness(images[i], sums[i] / images[i]));
    }
    return result;
  }

  /** The mean of the next image's values. */
  private static double mean(FloatBuffer pixels) {
    double sum = 0;
    int count = 64 * 64 * 3;
    for (int i = 0; i < count; i++) {
      sum += pixels.get();
    }
    return sum / count;
  }

  /** Prints the brightness of each class: {@code ImageFolders FOLDER TARGET}. */
  public static void main(String[] args) {
    brightness(ImageFolder.of(args[0]), args[1])
        .forEach((name, of) ->
            System.out.printf("%s: %d images, brightness %.2f%n", name, of.images(), of.mean()));
  }
}
