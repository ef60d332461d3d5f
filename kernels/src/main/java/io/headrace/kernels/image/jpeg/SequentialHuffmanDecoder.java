package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/** Decodes baseline and extended sequential scans with Huffman coding, ITU-T T.81 F.2.2. */
final class SequentialHuffmanDecoder extends EntropyDecoder {
  /** A block's data never has as many bytes. */
  private static final int MAX_BLOCK_BYTES = 512;

  private static final int SMALL_BUFFER = 16;
  private static final int FILL_BYTES = 6;

  private final BitReader bits;
  private int[] membership = {};
  private HuffmanTable[] dcTables = {};
  private HuffmanTable[] acTables = {};
  private int[] lastDc = {};

  // The state of a fast MCU: the bit buffer and the position in the file.
  private byte[] file = {};
  private int position;
  private long buffer;
  private int bitsLeft;
  private boolean hitMarker;

  SequentialHuffmanDecoder(MarkerReader markers) {
    super(markers);
    bits = new BitReader(markers);
  }

  @Override
  boolean isExhausted() {
    return bits.isExhausted();
  }

  @Override
  void startScan(ScanHeader scan) throws JpegException {
    membership = scan.membership();
    int count = scan.components().length;
    dcTables = new HuffmanTable[count];
    acTables = new HuffmanTable[count];
    lastDc = new int[count];
    for (int i = 0; i < count; i++) {
      dcTables[i] = markers.huffmanTable(true, scan.components()[i].dcTable);
      acTables[i] = markers.huffmanTable(false, scan.components()[i].acTable);
    }
    bits.start();
  }

  @Override
  void restart() {
    Arrays.fill(lastDc, 0);
    bits.restart();
  }

  @Override
  void decodeMcu(Mcu mcu) throws JpegException {
    if (bits.isExhausted()) {
      return;
    }
    boolean isFar = markers.input().remaining() >= MAX_BLOCK_BYTES * membership.length;
    boolean tryFast = isFar && markers.restartInterval() == 0 && markers.unreadMarker() == 0;
    if (!tryFast || !decodeFast(mcu)) {
      decodeSlowly(mcu);
    }
  }

  private void decodeSlowly(Mcu mcu) throws JpegException {
    for (int i = 0; i < membership.length; i++) {
      int member = membership[i];
      decodeSlowly(mcu.arrays[i], mcu.offsets[i], member);
    }
    markers.input().mark();
  }

  private void decodeSlowly(short[] block, int at, int member) throws JpegException {
    int size = bits.symbol(dcTables[member]);
    lastDc[member] += size == 0 ? 0 : bits.signed(size);
    block[at] = (short) lastDc[member];
    HuffmanTable table = acTables[member];
    for (int k = 1; k < Zigzag.COEFFICIENTS; k++) {
      int symbol = bits.symbol(table);
      size = symbol & 15;
      if (size != 0) {
        k += symbol >> 4;
        block[at + Zigzag.NATURAL[k]] = (short) bits.signed(size);
      } else if (symbol >> 4 == 15) {
        k += 15;
      } else {
        break;
      }
    }
  }

  /** Decodes an MCU far from the file's end; false, and nothing is consumed, at a marker. */
  private boolean decodeFast(Mcu mcu) {
    file = markers.input().bytes();
    position = markers.input().position();
    buffer = bits.buffer;
    bitsLeft = bits.bitsLeft;
    hitMarker = false;
    int[] dc = lastDc.clone();
    for (int i = 0; i < membership.length; i++) {
      int member = membership[i];
      int size = symbol(dcTables[member]);
      dc[member] += size == 0 ? 0 : signed(size);
      short[] block = mcu.arrays[i];
      int at = mcu.offsets[i];
      block[at] = (short) dc[member];
      decodeAc(block, at, acTables[member]);
    }
    if (hitMarker) {
      return false;
    }
    lastDc = dc;
    bits.buffer = buffer;
    bits.bitsLeft = bitsLeft;
    markers.input().position(position);
    markers.input().mark();
    return true;
  }

  private void decodeAc(short[] block, int at, HuffmanTable table) {
    for (int k = 1; k < Zigzag.COEFFICIENTS; k++) {
      int symbol = symbol(table);
      int size = symbol & 15;
      if (size != 0) {
        k += symbol >> 4;
        block[at + Zigzag.NATURAL[k]] = (short) signed(size);
      } else if (symbol >> 4 == 15) {
        k += 15;
      } else {
        break;
      }
    }
  }

  private int symbol(HuffmanTable table) {
    fill();
    int entry = table.lookup[(int) (buffer >>> (bitsLeft - HuffmanTable.LOOKAHEAD)) & 0xff];
    int length = entry >> HuffmanTable.LOOKAHEAD;
    bitsLeft -= length;
    if (length <= HuffmanTable.LOOKAHEAD) {
      return entry & 0xff;
    }
    int code = (int) (buffer >>> bitsLeft) & ((1 << length) - 1);
    while (code > table.maxCode[length]) {
      bitsLeft--;
      code = code << 1 | ((int) (buffer >>> bitsLeft) & 1);
      length++;
    }
    return table.symbol(code, length);
  }

  private int signed(int size) {
    fill();
    bitsLeft -= size;
    return BitReader.extend((int) (buffer >>> bitsLeft) & ((1 << size) - 1), size);
  }

  private void fill() {
    if (bitsLeft > SMALL_BUFFER) {
      return;
    }
    for (int i = 0; i < FILL_BYTES; i++) {
      int next = file[position++] & 0xff;
      if (next == 0xff) {
        if (file[position] == 0) {
          position++;
        } else {
          hitMarker = true;
          position--;
          next = 0;
        }
      }
      buffer = buffer << Byte.SIZE | next;
    }
    bitsLeft += FILL_BYTES * Byte.SIZE;
  }
}
