package io.headrace.interop;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.DatasetOptions;
import io.headrace.dataset.ImageFiles;
import io.headrace.dataset.ImageFolder;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Sampling;
import io.headrace.dataset.Scanned;
import io.headrace.dataset.Shuffle;
import io.headrace.dataset.Window;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Sources and transformations that look at several elements, or at files together. */
final class JavaSequences {
  private JavaSequences() {}

  static void addTo(JavaDatasets all) {
    addNumbers(all);
    addStates(all);
    addBatches(all);
    addChoices(all);
    addErrors(all);
    addFiles(all);
    addImages(all);
  }

  private static void addNumbers(JavaDatasets all) {
    all.add("counter", Dataset.counter(5, 2).take(7));
    all.add("random_of_a_seed", Dataset.random(4, false).take(9));
    all.add("random_of_a_seed_again", Dataset.random(4, true).take(5).repeat(2));
  }

  private static void addStates(JavaDatasets all) {
    all.add(
        "scan",
        Dataset.range(12)
            .scan(
                List.of(Tensor.scalar(0L)),
                (state, x) -> {
                  Output sum = state.getFirst().add(x.output());
                  return Scanned.of(sum, List.of(sum, x.output().neg()));
                }));
    all.add("take_while", Dataset.range(20).takeWhile(x -> x.output().square().less(50)));
    all.add(
        "windows",
        Dataset.range(11)
            .window(Window.of(3).shift(2).stride(2))
            .flatMapElement(window -> window.dataset().batch(3)));
  }

  private static void addBatches(JavaDatasets all) {
    all.add("unbatch", Dataset.range(7).batch(3).map(x -> List.of(x, x.mul(x))).unbatch());
    all.add("rebatch", Dataset.range(17).batch(5).rebatch(4));
    all.add("rebatch_in_turn", Dataset.range(17).batch(5).rebatch(true, 2, 3, 1));
    all.add(
        "in_any_order_by_options",
        new Comparison.Unordered(),
        Dataset.range(100)
            .map(x -> x.mul(2), 4)
            .withOptions(DatasetOptions.NONE.deterministic(false)));
  }

  private static List<Dataset> three() {
    return List.of(Dataset.range(0, 9, 1), Dataset.range(100, 106, 1), Dataset.range(-5, 0, 1));
  }

  private static void addChoices(JavaDatasets all) {
    all.add(
        "sample_from_datasets",
        Dataset.sampleFromDatasets(three(), Sampling.weights(0.5, 0.2, 0.3).seed(3)));
    all.add(
        "sample_until_one_is_empty",
        Dataset.sampleFromDatasets(three(), Sampling.weights(0.2, 0.2, 0.6).seed(5).stopOnEmpty()));
    all.add(
        "choose_from_datasets",
        Dataset.chooseFromDatasets(three(), Dataset.range(3).repeat(8), false));
  }

  private static void addErrors(JavaDatasets all) {
    all.add(
        "ignore_errors",
        Dataset.range(20).map(x -> x.floorDiv(x.floorMod(3).sub(1))).ignoreErrors());
    all.add("assert_cardinality", Dataset.range(9).filter(x -> x.less(5)).assertCardinality(5));
    all.add(
        "assert_another_cardinality",
        new Comparison.Fails("FAILED_PRECONDITION"),
        Dataset.range(9).filter(x -> x.less(5)).assertCardinality(6));
  }

  private static void addFiles(JavaDatasets all) {
    all.add("files_names", Dataset.files(all.file("examples-?.tfrecord")).names());
    all.add(
        "files_of_fixed_length",
        Dataset.files(all.file("fixed.bin.gz"))
            .compressed(Compression.GZIP)
            .fixedLength(8, 4, 8)
            .map(record -> record.decodeRaw(DataType.INT16)));
    all.add(
        "files_interleaved",
        Dataset.files(all.file("[ab].txt")).interleaved(Interleave.cycle(2).block(3)).lines());
    all.add("files_that_are_none", Dataset.files(all.file("none-*.txt")).orEmpty().lines());
    all.add(
        "list_files_that_are_none",
        Dataset.listFilesOrEmpty(all.file("none-*.txt"), Shuffle.seed(1)));
    all.add(
        "files_read_by_a_lambda",
        Dataset.files(all.file("[ab].txt")).read(file -> Dataset.textLines(file).take(2)));
  }

  private static void addImages(JavaDatasets all) {
    for (int i = 0; i < 6; i++) {
      String folder = all.file(i % 2 == 0 ? "pets/cat" : "pets/dog");
      DataFiles.createFolders(folder);
      byte[] pixels = new byte[9 * 7 * 3];
      Arrays.fill(pixels, (byte) (40 * i));
      ImageFiles.write(
          folder + "/" + i + ".png", Tensor.of(DataType.UINT8, Shape.of(9, 7, 3), pixels));
    }
    ImageFolder pets = ImageFolder.of(all.file("pets"));
    all.add("images", Dataset.images(pets));
    all.add(
        "images_of_a_size",
        new Comparison.Close(1e-5),
        Dataset.images(pets.resized(5, 4).channels(1).shuffled(Shuffle.seed(2)))
            .mapElement(pet -> List.of(pet.get("image").output(), pet.get("label").output())));
  }
}
