package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OriginStore;
import io.headrace.dataset.execute.pass.PlaceStore;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.RowStore;
import io.headrace.dataset.execute.pass.SampleStream;
import io.headrace.dataset.execute.pass.SlotRing;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordPlaces;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * A pass over shuffled rows: the same random samples draw the same rows as in TensorFlow.
 *
 * <p>While the input lasts, the buffer is filled before each draw. For a request of several rows,
 * one read of the input asks for the rows that fill the buffer and one more for each further draw.
 */
final class ShuffleIterator implements ChunkIterator {
  private static final int MAX_ASK_ROWS = 8192;
  private static final long MAX_DRAWN_BYTES = 4 << 20;

  private final ShuffleDataset dataset;
  private final IteratorContext context;
  private final SampleStream samples;
  private final RowStore store = new RowStore();
  private final OriginStore origins = new OriginStore();
  private final PlaceStore places = new PlaceStore();
  private final SlotRing ring = new SlotRing();
  private final RowCursor incoming = new RowCursor();
  private volatile @Nullable ChunkIterator input;
  private volatile boolean closed;
  private boolean inputEnded;
  private Origins rest = Origins.NONE;

  ShuffleIterator(ShuffleDataset dataset, IteratorContext context) {
    this.dataset = dataset;
    this.context = context;
    this.samples = new SampleStream(dataset.seeds().next(context.random()));
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    fill(maxRows);
    if (ring.size() == 0) {
      return null;
    }
    RowStore drawn = store.emptyCopy();
    int most = (int) Math.min(maxRows, 1 + MAX_DRAWN_BYTES / store.rowBytes());
    int expected = origins.isTold() ? Math.min(most, ring.size() + incoming.left()) : 0;
    Origins.Builder drawnOrigins = new Origins.Builder(expected);
    RecordPlaces.Builder drawnPlaces = new RecordPlaces.Builder();
    int count = 0;
    do {
      int slot = ring.remove((int) (samples.next() % ring.size()));
      origins.moveTo(slot, drawnOrigins);
      places.moveTo(slot, drawnPlaces);
      store.moveTo(slot, drawn, count++);
      // Continues with the rows at hand; the caller does not wait for more of the input.
    } while (count < most && fillFromIncoming() && ring.size() > 0);
    Chunk chunk = drawn.toChunk(count).withPlaces(drawnPlaces.build());
    return origins.isTold() ? chunk.withOrigins(drawnOrigins.build()) : chunk;
  }

  /** Fills the buffer, unless the input ends first. */
  private void fill(int owed) {
    while (!fillFromIncoming()) {
      long lacking = dataset.bufferSize() - ring.size() + owed - 1;
      Chunk rows = input().next((int) Math.min(lacking, MAX_ASK_ROWS));
      if (rows == null) {
        inputEnded = true;
        rest = input().rest();
        input().close();
      } else {
        incoming.refill(rows);
      }
    }
  }

  /** Fills the buffer from rows already read; returns false if they are too few. */
  private boolean fillFromIncoming() {
    while (ring.size() < dataset.bufferSize() && !incoming.isEmpty()) {
      int slot = ring.add();
      store.put(slot, incoming.chunk(), incoming.at());
      origins.put(slot, incoming.chunk().origins(), incoming.at());
      places.put(slot, incoming.chunk().places(), incoming.at());
      incoming.drop(1);
    }
    return inputEnded || ring.size() >= dataset.bufferSize();
  }

  @Override
  public Origins rest() {
    return rest;
  }

  /** The pass over the input, started on first use, as in TensorFlow. */
  private ChunkIterator input() {
    ChunkIterator begun = input;
    if (begun == null) {
      begun = context.open(dataset.input());
      input = begun;
      if (closed) {
        begun.close();
      }
    }
    return begun;
  }

  @Override
  public void close() {
    closed = true;
    ChunkIterator begun = input;
    if (begun != null) {
      begun.close();
    }
  }
}
