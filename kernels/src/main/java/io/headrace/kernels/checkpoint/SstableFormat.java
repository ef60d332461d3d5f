package io.headrace.kernels.checkpoint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Constants of LevelDB's table format (doc/table_format.md in its repository) as TensorFlow uses
 * it: data blocks, an empty metaindex block, an index block, a footer. A trailer follows each
 * block: a compression byte, and a masked checksum over the block and that byte.
 */
final class SstableFormat {
  /** The magic number at the end of every table. */
  static final long MAGIC = 0xdb4775248b80fb57L;

  static final int FOOTER_BYTES = 48;

  /** The size of the footer's two block handles, padded with zeros. */
  static final int HANDLES_BYTES = FOOTER_BYTES - Long.BYTES;

  static final int TRAILER_BYTES = 5;
  static final byte UNCOMPRESSED = 0;
  static final byte SNAPPY = 1;

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private SstableFormat() {}
}
