package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.Fingerprint;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.SelectedRows;
import io.headrace.dataset.execute.pass.SplitIterator;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A single element. */
public record TensorDataset(List<Tensor> components, ElementSpec spec) implements DatasetValue {
  public static final Op OP =
      DatasetOp.define("TensorDataset(components: [Toutput_types])")
          .attrs("Toutput_types: list(type)", "output_shapes: list(shape)", "metadata: string = ''")
          .kernel(
              DatasetKernel.making(
                  in -> new TensorDataset(in.tensors("components"), in.spec("Toutput_types"))));

  @Override
  public List<DataType> outputTypes() {
    return spec.types();
  }

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  @Override
  public long cardinality() {
    return 1;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return context.splits().isEmpty()
        ? new Iterator()
        : new SplitIterator(context.splits().getFirst(), this::rows);
  }

  @Override
  public List<SplitSource> splitSources() {
    return List.of(SplitSource.ofRows(1, fingerprint()));
  }

  private long fingerprint() {
    Fingerprint hash = new Fingerprint();
    components.forEach(hash::add);
    return hash.value();
  }

  @Override
  public Lineage lineage() {
    return Lineage.Told.SPLITS;
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    Chunk row = Chunk.ofElement(components);
    return new SelectedRows(
        this, rows, indices -> row.gather(new int[indices.length], indices.length));
  }

  private Chunk rows(SplitRun run) {
    if (run.first() != 0 || run.count() != 1) {
      throw spec.error(
          StatusCode.INVALID_ARGUMENT, "the only split is 0, and split %d is given", run.last());
    }
    return Chunk.ofElement(components);
  }

  private final class Iterator implements ChunkIterator {
    private volatile boolean done;

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (done) {
        return null;
      }
      done = true;
      return Chunk.ofElement(components);
    }

    @Override
    public void close() {
      done = true;
    }
  }
}
