package com.example.howto;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Example;
import io.headrace.dataset.Shuffle;
import io.headrace.dataset.TfRecordWriter;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Ops.Feature;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.Map;

/** Writes and reads TFRecord files of examples, as TensorFlow has them. */
@SuppressWarnings("ArrayRecordComponent")
public final class TfRecordFiles {
  /** An example: four measured values, and a label. */
  record Measurement(long label, float[] values) {}

  /** A batch of them: [measurements, 4], and a label each. */
  record Batch(long[] label, float[][] values) {}

  private static final List<Feature> FEATURES =
      List.of(
          Feature.scalar("label", DataType.INT64),
          new Feature("values", DataType.FLOAT32, Shape.of(4)));

  private TfRecordFiles() {}

  static void write(String file, List<Measurement> measurements) {
    try (TfRecordWriter writer = TfRecordWriter.create(file)) {
      measurements.forEach(measurement -> writer.write(Example.of(measurement)));
    }
  }

  /** Batches of the examples in all files of a pattern, parsed on the workers. */
  static Dataset batches(String pattern, String target) {
    return Dataset.files(pattern)
        .shuffled(Shuffle.RANDOM)
        .records()
        .shuffle(10_000, Shuffle.RANDOM)
        .batch(32)
        .map(TfRecordFiles::parsed)
        .apply(DataService.distribute(ProcessingMode.DYNAMIC, target));
  }

  /** The features of a batch of serialized examples, by name. */
  private static Map<String, Output> parsed(Output records) {
    List<Output> features = Ops.parseExample(records, FEATURES);
    return Map.of("label", features.get(0), "values", features.get(1));
  }

  /** Prints the shapes of the batches: {@code TfRecordFiles PATTERN TARGET}. */
  public static void main(String[] args) {
    batches(args[0], args[1])
        .forEach(batch -> System.out.println(batch.get("values").tensor().typeAndShape()));
  }
}
