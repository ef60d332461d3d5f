package io.headrace.gpu.kernels;

import io.headrace.gpu.kernels.ImageBatches.Cut;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Reads the pixels of cuts, line by line, from where it has stopped. Not thread-safe. */
final class CutBytes {
  private final List<Cut> cuts;
  private int next;
  private int line;

  /** The bytes of the line that were read. */
  private int read;

  CutBytes(List<Cut> cuts) {
    this.cuts = cuts;
  }

  /** Fills a piece, for which as many bytes must be left. */
  void fill(MemorySegment piece) {
    long at = 0;
    while (at < piece.byteSize()) {
      Cut cut = cuts.get(next);
      byte[] pixels = (byte[]) TensorMemory.array(cut.image());
      int first = TensorMemory.offset(cut.image()) + cut.left() * cut.channels();
      int pitch = (int) cut.image().shape().size(1) * cut.channels();
      while (at < piece.byteSize() && line < cut.height()) {
        int bytes = (int) Math.min(cut.lineBytes() - read, piece.byteSize() - at);
        int from = first + (cut.top() + line) * pitch + read;
        MemorySegment.copy(pixels, from, piece, ValueLayout.JAVA_BYTE, at, bytes);
        at += bytes;
        read += bytes;
        if (read == cut.lineBytes()) {
          read = 0;
          line++;
        }
      }
      if (line == cut.height()) {
        line = 0;
        next++;
      }
    }
  }
}
