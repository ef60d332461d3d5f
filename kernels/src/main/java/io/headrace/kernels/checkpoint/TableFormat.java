package io.headrace.kernels.checkpoint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers of the table format of LevelDB (doc/table_format.md in its repository) as TensorFlow has
 * it: data blocks, an empty block of meta data, an index of blocks, a footer. A block is followed
 * by a byte for its compression and a masked checksum of itself and that byte.
 */
final class TableFormat {
  /** Ends every table. */
  static final long MAGIC = 0xdb4775248b80fb57L;

  static final int FOOTER_BYTES = 48;

  /** What both handles of the footer, padded with zeros, take. */
  static final int HANDLES_BYTES = FOOTER_BYTES - Long.BYTES;

  static final int TRAILER_BYTES = 5;
  static final byte UNCOMPRESSED = 0;
  static final byte SNAPPY = 1;

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private TableFormat() {}
}
