package io.headrace.cli.drill;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A job whose elements identify their records: the record's number, from 0, a blank, and padding.
 * Large elements keep workers from producing all of them before a fault.
 *
 * @param dataset the elements
 * @param records the number of records
 * @param source the folder of the files, or the size of the range
 * @param elementBytes the size of the padding
 */
record DrillJob(Dataset dataset, int records, String source, int elementBytes) {
  /** The lines of {@code files} text files, which this method writes into {@code folder}. */
  static DrillJob ofFiles(Path folder, int files, int recordsPerFile, int elementBytes)
      throws IOException {
    String[] names = new String[files];
    for (int file = 0; file < files; file++) {
      Path path = folder.resolve(String.format(Locale.ROOT, "part-%05d.txt", file));
      int first = file * recordsPerFile;
      List<String> lines =
          IntStream.range(first, first + recordsPerFile).mapToObj(Integer::toString).toList();
      Files.write(path, lines);
      names[file] = path.toString();
    }
    Dataset lines = Dataset.tensorSlices(Tensor.vector(names)).flatMap(Dataset::textLines);
    return new DrillJob(
        pad(lines, elementBytes), files * recordsPerFile, folder.toString(), elementBytes);
  }

  /** The numbers of a range; needs no files. */
  static DrillJob ofRange(int records, int elementBytes) {
    return new DrillJob(
        pad(Dataset.range(records).map(number -> number.asString()), elementBytes),
        records,
        Integer.toString(records),
        elementBytes);
  }

  private static Dataset pad(Dataset numbers, int elementBytes) {
    String letters = " " + "x".repeat(elementBytes);
    return numbers.map(number -> Strings.join(List.of(number, Ops.constant(letters)), ""));
  }

  /** The number of an element's record; -1 if the element is malformed. */
  static long numberOf(Element element) {
    String text = new String(element.tensor().string(0), StandardCharsets.UTF_8);
    int end = text.indexOf(' ');
    try {
      return end < 0 ? -1 : Long.parseLong(text.substring(0, end));
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
