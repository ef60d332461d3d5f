package io.headrace.dataset.execute.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.EmptyIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * The names of the files that match the patterns, sorted for each pattern; looked up when a pass
 * starts.
 */
public record MatchingFilesDataset(List<String> patterns) implements DatasetValue {
  public static final Op OP =
      DatasetOp.define("MatchingFilesDataset(patterns: string)")
          .touches(Touch.READS_FILES)
          .kernel(DatasetKernel.making(in -> new MatchingFilesDataset(in.strings("patterns"))));

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.STRING);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(Shape.SCALAR);
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    Cancellation cancellation = context.step().cancellation();
    byte[][] names =
        patterns.stream()
            .flatMap(pattern -> DataFiles.matching(pattern, cancellation).stream())
            .map(name -> name.getBytes(UTF_8))
            .toArray(byte[][]::new);
    if (names.length == 0) {
      return EmptyIterator.INSTANCE;
    }
    Tensor tensor = Tensor.wrap(DataType.STRING, Shape.of(names.length), names);
    Chunk rows = Chunk.of(names.length, List.of(new Column.Stacked(tensor)));
    return new InMemoryDataset.Iterator(List.of(rows));
  }
}
