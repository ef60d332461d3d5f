package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;

/**
 * A folder of images, one folder a class, for {@link Dataset#images}. Files are JPEG, PNG, BMP and
 * GIF, by their extensions; of a GIF, the first frame.
 *
 * @param folder the path of the folder, the same on all workers
 * @param classes the names of the classes, in the order of their labels; if empty, those of the
 *     folders that this process finds, sorted
 * @param channels the channels of the images: 1, 3 or 4
 * @param size height and width, to which images are resized bilinearly, as float32; without it they
 *     are uint8 of their own size
 * @param shuffle the order of the files; without it, that of classes and names
 */
public record ImageFolder(
    String folder,
    List<String> classes,
    int channels,
    Optional<Size> size,
    Optional<Shuffle> shuffle) {
  /** Height and width, in pixels. */
  public record Size(int height, int width) {}

  /**
   * Copies the classes.
   *
   * @throws StatusException INVALID_ARGUMENT for other channels, or sizes below 1
   */
  public ImageFolder {
    requireNonNull(folder, "folder is null");
    requireNonNull(classes, "classes is null");
    requireNonNull(size, "size is null");
    requireNonNull(shuffle, "shuffle is null");
    classes = List.copyOf(classes);
    if (channels != 1 && channels != 3 && channels != 4) {
      throw StatusException.invalidArgument(
          "images have 1, 3 or 4 channels, and %d were asked for", channels);
    }
    if (size.isPresent() && (size.get().height() < 1 || size.get().width() < 1)) {
      throw StatusException.invalidArgument(
          "images are resized to at least 1 x 1, and %s was asked for", size.get());
    }
  }

  /** The images below {@code folder}, of three channels, in their own sizes. */
  public static ImageFolder of(String folder) {
    return new ImageFolder(folder, List.of(), 3, Optional.empty(), Optional.empty());
  }

  /**
   * Takes the folders {@code names} only, with the labels 0, 1, and so on. {@link Dataset#images}
   * refuses a name without a folder, with NOT_FOUND, if this process sees the folder of the
   * classes.
   */
  public ImageFolder classes(String... names) {
    requireNonNull(names, "names is null");
    return new ImageFolder(folder, List.of(names), channels, size, shuffle);
  }

  /** Resizes the images; they become float32, from 0 to 255. */
  public ImageFolder resized(int height, int width) {
    return new ImageFolder(
        folder, classes, channels, Optional.of(new Size(height, width)), shuffle);
  }

  /** Decodes to {@code newChannels}: 1 for grayscale, 3 for RGB, 4 for RGBA. */
  public ImageFolder channels(int newChannels) {
    return new ImageFolder(folder, classes, newChannels, size, shuffle);
  }

  /** Reads the files in another order. */
  public ImageFolder shuffled(Shuffle how) {
    requireNonNull(how, "how is null");
    return new ImageFolder(folder, classes, channels, size, Optional.of(how));
  }

  /**
   * The names of the classes, by label.
   *
   * @throws StatusException NOT_FOUND, naming the folder, if it has no folders
   */
  public List<String> classNames() {
    return classes.isEmpty() ? ImageSources.foldersIn(folder) : classes;
  }
}
