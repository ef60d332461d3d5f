package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkPacer;
import io.headrace.dataset.execute.pass.FunctionTemplates;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.NestedPassContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Chunk;
import java.time.InstantSource;

/** SaveDataset: saves a dataset in a step, as {@link SaveDataset} does in a pass. */
final class SaveDatasetOps {
  private static final long CHUNK_BYTES = 1 << 20;

  private SaveDatasetOps() {}

  static Op op(InstantSource clock) {
    return Op.define(
            "SaveDataset(input_dataset: variant, path: string,"
                + " shard_func_other_args: [Tshard_func_args])")
        .attrs(SaveDataset.ATTRS)
        .stateful()
        .touches(Touch.WRITES_FILES, Touch.ELEMENTS)
        .blocking(node -> saving(node, clock));
  }

  private static Kernel.Sync saving(NodeSpec node, InstantSource clock) {
    FunctionTemplates templates = new FunctionTemplates(node);
    return call -> {
      SaveDataset dataset = SaveDataset.of(new OpArguments(node, call, templates::get), clock);
      save(dataset, NestedPassContext.context(call.step()));
    };
  }

  private static void save(SaveDataset dataset, IteratorContext context) {
    ChunkPacer pacer = new ChunkPacer(CHUNK_BYTES);
    try (SnapshotWriter rows = dataset.write(context, 0)) {
      while (true) {
        context.step().cancellation().check();
        long start = context.ticker().nanoTime();
        Chunk chunk = rows.next(pacer.rows());
        if (chunk == null) {
          return;
        }
        pacer.took(chunk.rows(), context.ticker().nanoTime() - start, chunk.byteSize());
      }
    }
  }
}
