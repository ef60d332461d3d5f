package io.headrace.dataset;

import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.UnaryOperator;

/** Builds the nodes of datasets of file names and of file contents. */
final class FileSources {
  /**
   * The buffer size with which a shuffle buffers all elements: TensorFlow's unknown cardinality.
   * File names are small, and only a shuffle of all of them is uniform.
   */
  static final long ALL_NAMES = -2;

  /** The size of the buffers that files are read into. */
  static final long READ_BUFFER_BYTES = 256 << 10;

  private static final Structure STRING = new Structure.Component(DataType.STRING, Shape.SCALAR);

  private FileSources() {}

  /**
   * The names of the files that match {@code pattern}, as a {@code TensorSliceDataset} of file
   * names, as in TensorFlow: each name is a split that a worker can read.
   *
   * @param mustMatch whether it is an error that no file matches
   */
  static Dataset names(String pattern, boolean mustMatch) {
    return names(Tensor.scalar(pattern), mustMatch);
  }

  /** The same for a scalar or a vector of patterns: the names for each pattern, in turn. */
  static Dataset names(Tensor patterns, boolean mustMatch) {
    return new Dataset(
        STRING,
        target -> {
          NodeBuilder matching = target.graph().op("MatchingFiles").input(patterns);
          Output names = matching.attr(DataFiles.MUST_MATCH, mustMatch).build();
          NodeBuilder slices = target.graph().op("TensorSliceDataset").inputs(List.of(names));
          return DatasetNodeBuilder.typed(slices.attr("is_files", true), STRING, "Toutput_types");
        });
  }

  /** The records of the TFRecord files; {@code files} adds the input of file names. */
  static Dataset tfRecords(Compression compression, UnaryOperator<NodeBuilder> files) {
    return records("TFRecordDataset", compression, files);
  }

  /** The lines of the text files; {@code files} adds the input of file names. */
  static Dataset lines(Compression compression, UnaryOperator<NodeBuilder> files) {
    return records("TextLineDataset", compression, files);
  }

  private static Dataset records(
      String opName, Compression compression, UnaryOperator<NodeBuilder> files) {
    return new Dataset(
        STRING,
        target ->
            files
                .apply(target.graph().op(opName))
                .input(Tensor.scalar(compression.tfName()))
                .input(Tensor.scalar(READ_BUFFER_BYTES))
                .build());
  }

  /** Records of {@code recordBytes} bytes between each file's header and footer. */
  static Dataset fixedLengthRecords(
      long recordBytes,
      long headerBytes,
      long footerBytes,
      Compression compression,
      UnaryOperator<NodeBuilder> files) {
    return new Dataset(
        STRING,
        target ->
            files
                .apply(target.graph().op("FixedLengthRecordDatasetV2"))
                .input(Tensor.scalar(headerBytes))
                .input(Tensor.scalar(recordBytes))
                .input(Tensor.scalar(footerBytes))
                .input(Tensor.scalar(READ_BUFFER_BYTES))
                .input(Tensor.scalar(compression.tfName()))
                .build());
  }
}
