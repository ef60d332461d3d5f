package io.headrace.kernels.image.jpeg;

/**
 * Reads the bits of Huffman-coded data, ITU-T T.81 F.2.2.5. It fills its buffer as eagerly as
 * libjpeg, for where a truncated file ends depends on it. After a marker it supplies zeros.
 */
final class BitReader {
  /** The bits that a fill leaves in the buffer. */
  private static final int FILLED = Long.SIZE - 7;

  private final MarkerReader markers;
  private final JpegInput input;
  long buffer;
  int bitsLeft;
  private boolean isExhausted;

  BitReader(MarkerReader markers) {
    this.markers = markers;
    this.input = markers.input();
  }

  void start() {
    bitsLeft = 0;
    buffer = 0;
    isExhausted = false;
  }

  /** Continues after a restart marker. */
  void restart() {
    bitsLeft = 0;
    if (markers.unreadMarker() == 0) {
      isExhausted = false;
    }
  }

  /** Whether zeros were supplied. */
  boolean isExhausted() {
    return isExhausted;
  }

  /** Reads {@code count} bits, 1 to 16. */
  int bits(int count) throws JpegException {
    require(count);
    bitsLeft -= count;
    return (int) (buffer >>> bitsLeft) & ((1 << count) - 1);
  }

  /** Reads a signed value of {@code size} bits, ITU-T T.81 figure F.12. */
  int signed(int size) throws JpegException {
    return extend(bits(size), size);
  }

  static int extend(int bits, int size) {
    return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
  }

  /** Reads a Huffman code. */
  int symbol(HuffmanTable table) throws JpegException {
    if (bitsLeft < HuffmanTable.LOOKAHEAD) {
      fill(0);
      if (bitsLeft < HuffmanTable.LOOKAHEAD) {
        return longSymbol(table, 1);
      }
    }
    int entry = table.lookup[(int) (buffer >>> (bitsLeft - HuffmanTable.LOOKAHEAD)) & 0xff];
    int length = entry >> HuffmanTable.LOOKAHEAD;
    if (length > HuffmanTable.LOOKAHEAD) {
      return longSymbol(table, length);
    }
    bitsLeft -= length;
    return entry & 0xff;
  }

  private int longSymbol(HuffmanTable table, int minLength) throws JpegException {
    int length = minLength;
    int code = bits(length);
    while (code > table.maxCode[length]) {
      code = code << 1 | bits(1);
      length++;
    }
    return table.symbol(code, length);
  }

  private void require(int count) throws JpegException {
    if (bitsLeft < count) {
      fill(count);
    }
  }

  private void fill(int needed) throws JpegException {
    while (markers.unreadMarker() == 0 && bitsLeft < FILLED) {
      int next = input.read();
      if (next == 0xff) {
        do {
          next = input.read();
        } while (next == 0xff);
        if (next != 0) {
          markers.unreadMarker(next);
          break;
        }
        next = 0xff;
      }
      buffer = buffer << Byte.SIZE | next;
      bitsLeft += Byte.SIZE;
    }
    if (needed > bitsLeft) {
      isExhausted = true;
      buffer <<= FILLED - bitsLeft;
      bitsLeft = FILLED;
    }
  }
}
