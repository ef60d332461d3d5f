package io.headrace.interop;

import io.headrace.dataset.Dataset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Datasets built with the Java API, each with a comparison to stock TensorFlow's results for the
 * same graph: every source and transformation of the API, and every operation of its lambdas.
 */
final class JavaDatasets {
  /** A dataset and its comparison. */
  record Case(String name, Dataset dataset, Comparison comparison) {}

  private final Path files;
  private final List<Case> cases = new ArrayList<>();

  private JavaDatasets(Path files) {
    this.files = files;
  }

  /** All cases, over the input files that {@code files.py} writes below {@code files}. */
  static List<Case> all(Path files) {
    JavaDatasets datasets = new JavaDatasets(files);
    JavaSources.addTo(datasets);
    JavaTransformations.addTo(datasets);
    JavaSequences.addTo(datasets);
    JavaOperations.addTo(datasets);
    JavaFamilies.addTo(datasets);
    JavaWrittenFiles.addTo(datasets);
    return datasets.cases;
  }

  /** The path of the input file {@code name}. */
  String file(String name) {
    return files.resolve(name).toString();
  }

  /** Adds a dataset whose elements must equal stock's, in order. */
  void add(String name, Dataset dataset) {
    add(name, new Comparison.Equal(), dataset);
  }

  /** Adds a dataset with another comparison. */
  void add(String name, Comparison comparison, Dataset dataset) {
    cases.add(new Case(name, dataset, comparison));
  }
}
