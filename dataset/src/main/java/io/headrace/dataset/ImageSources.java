package io.headrace.dataset;

import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.graph.Images;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** Composes datasets of images in folders. */
final class ImageSources {
  /** The extensions of images, in either case. */
  private static final List<String> EXTENSIONS =
      List.of("[jJ][pP][gG]", "[jJ][pP][eE][gG]", "[pP][nN][gG]", "[bB][mM][pP]", "[gG][iI][fF]");

  /** How many names an error shows. */
  private static final int SHOWN_NAMES = 20;

  private ImageSources() {}

  static Dataset of(ImageFolder how) {
    List<String> classes = how.classNames();
    checkFolders(how);
    String[] patterns =
        classes.stream()
            .flatMap(name -> EXTENSIONS.stream().map(e -> how.folder() + "/" + name + "/*." + e))
            .toArray(String[]::new);
    Dataset names = FileSources.names(Tensor.vector(patterns), true);
    return how.shuffle()
        .map(shuffle -> names.shuffle(FileSources.ALL_NAMES, shuffle))
        .orElse(names)
        .mapElement(path -> image(path.output(), classes, how), Dataset.AUTOTUNE, true);
  }

  private static Map<String, Output> image(Output path, List<String> classes, ImageFolder how) {
    Output pixels = Images.decode(Ops.readFile(path), how.channels());
    Output image =
        how.size().map(size -> Images.resize(pixels, size.height(), size.width())).orElse(pixels);
    return Map.of("image", image, "label", label(path, classes), "path", path);
  }

  /** The index of the folder's name among {@code classes}. */
  private static Output label(Output path, List<String> classes) {
    Output folder = Strings.split(path, "/").at(-2);
    Output same = folder.equalTo(Ops.constant(Tensor.vector(classes.toArray(String[]::new))));
    return Ops.argMax(same.cast(DataType.INT32), 0);
  }

  /** Refuses a named class that has no folder, if this process sees the folder of the classes. */
  private static void checkFolders(ImageFolder how) {
    List<String> present;
    try {
      present = DataFiles.names(how.folder());
    } catch (StatusException _) {
      return; // the workers may see it
    }
    List<String> missing = how.classes().stream().filter(name -> !present.contains(name)).toList();
    if (!missing.isEmpty()) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "the folder %s has no folder of the class %s: it has %s",
          how.folder(),
          String.join(", ", missing),
          present.stream().sorted().limit(SHOWN_NAMES).toList());
    }
  }

  /** The names of the folders in {@code folder}, sorted, without hidden ones. */
  static List<String> foldersIn(String folder) {
    List<String> names =
        namesIn(folder).stream()
            .filter(name -> !name.startsWith("."))
            .filter(name -> DataFiles.attributes(folder + "/" + name).isFolder())
            .toList();
    if (names.isEmpty()) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "the folder %s has no folders of images in it", folder);
    }
    return names;
  }

  private static List<String> namesIn(String folder) {
    try {
      return DataFiles.names(folder);
    } catch (StatusException e) {
      if (e.code() != StatusCode.NOT_FOUND) {
        throw e;
      }
      throw new StatusException(
          StatusCode.NOT_FOUND,
          "the folders of the classes are looked for in this process, and there is no folder %s; if"
                  .formatted(folder)
              + " only workers see it, name the classes: ImageFolder.classes(...)",
          e);
    }
  }
}
