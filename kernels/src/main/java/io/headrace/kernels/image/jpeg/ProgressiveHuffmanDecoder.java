package io.headrace.kernels.image.jpeg;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Decodes progressive scans with Huffman coding, ITU-T T.81 G.1.2 and G.2. */
final class ProgressiveHuffmanDecoder extends EntropyDecoder {
  private static final int RUN_OF_ZEROS = 15;

  private final SpectralProgress progress;
  private final BitReader bits;
  private int[] membership = {};
  private @Nullable HuffmanTable[] tables = {};
  private int[] lastDc = {};

  /** Blocks, the current one included, in which no further coefficient becomes nonzero. */
  private int endOfBandRun;

  ProgressiveHuffmanDecoder(MarkerReader markers, SpectralProgress progress) {
    super(markers);
    this.progress = progress;
    bits = new BitReader(markers);
  }

  @Override
  boolean isExhausted() {
    return bits.isExhausted();
  }

  @Override
  void startScan(ScanHeader next) throws JpegException {
    progress.add(next, markers.scans());
    membership = next.membership();
    int count = next.components().length;
    lastDc = new int[count];
    tables = new @Nullable HuffmanTable[count];
    for (int i = 0; i < count; i++) {
      FrameComponent component = next.components()[i];
      if (next.spectralStart() != 0) {
        tables[i] = markers.huffmanTable(false, component.acTable);
      } else if (next.high() == 0) {
        tables[i] = markers.huffmanTable(true, component.dcTable);
      }
    }
    bits.start();
    endOfBandRun = 0;
  }

  @Override
  void restart() {
    Arrays.fill(lastDc, 0);
    bits.restart();
    endOfBandRun = 0;
  }

  @Override
  void decodeMcu(Mcu mcu) throws JpegException {
    ScanHeader current = markers.scan();
    boolean isDc = current.spectralStart() == 0;
    if (isDc && current.high() != 0) {
      refineDc(mcu, 1 << current.low());
    } else if (bits.isExhausted()) {
      return;
    } else if (isDc) {
      decodeDc(mcu, current.low());
    } else if (current.high() == 0) {
      decodeAc(mcu.arrays[0], mcu.offsets[0], table(0), current);
    } else {
      refineAc(mcu.arrays[0], mcu.offsets[0], table(0), current);
    }
    markers.input().mark();
  }

  private HuffmanTable table(int member) throws JpegException {
    HuffmanTable table = tables[member];
    if (table == null) {
      throw new JpegException("a Huffman table is missing");
    }
    return table;
  }

  private void decodeDc(Mcu mcu, int low) throws JpegException {
    for (int i = 0; i < membership.length; i++) {
      int member = membership[i];
      int size = bits.symbol(table(member));
      long dc = (long) lastDc[member] + (size == 0 ? 0 : bits.signed(size));
      if (dc != (int) dc) {
        throw new JpegException("a DC coefficient is out of range");
      }
      lastDc[member] = (int) dc;
      mcu.arrays[i][mcu.offsets[i]] = (short) (lastDc[member] << low);
    }
  }

  private void refineDc(Mcu mcu, int bit) throws JpegException {
    for (int i = 0; i < membership.length; i++) {
      if (bits.bits(1) != 0) {
        mcu.arrays[i][mcu.offsets[i]] |= (short) bit;
      }
    }
  }

  private void decodeAc(short[] block, int at, HuffmanTable table, ScanHeader current)
      throws JpegException {
    if (endOfBandRun > 0) {
      endOfBandRun--;
      return;
    }
    for (int k = current.spectralStart(); k <= current.spectralEnd(); k++) {
      int symbol = bits.symbol(table);
      int run = symbol >> 4;
      int size = symbol & 15;
      if (size != 0) {
        k += run;
        block[at + Zigzag.NATURAL[k]] = (short) (bits.signed(size) << current.low());
      } else if (run == RUN_OF_ZEROS) {
        k += RUN_OF_ZEROS;
      } else {
        endOfBandRun = endOfBandRun(run) - 1;
        break;
      }
    }
  }

  private int endOfBandRun(int exponent) throws JpegException {
    return (1 << exponent) + (exponent == 0 ? 0 : bits.bits(exponent));
  }

  private void refineAc(short[] block, int at, HuffmanTable table, ScanHeader current)
      throws JpegException {
    int end = current.spectralEnd();
    int bit = 1 << current.low();
    int k = current.spectralStart();
    while (endOfBandRun == 0 && k <= end) {
      int symbol = bits.symbol(table);
      int run = symbol >> 4;
      int value = 0;
      if ((symbol & 15) != 0) {
        value = bits.bits(1) != 0 ? bit : -bit;
      } else if (run != RUN_OF_ZEROS) {
        endOfBandRun = endOfBandRun(run);
        break;
      }
      k = skipZeros(block, at, k, end, run, bit);
      if (value != 0) {
        block[at + Zigzag.NATURAL[k]] = (short) value;
      }
      k++;
    }
    if (endOfBandRun > 0) {
      skipZeros(block, at, k, end, Integer.MAX_VALUE, bit);
      endOfBandRun--;
    }
  }

  /**
   * Refines coefficients from {@code from} to before the zero that {@code zeros} others precede.
   */
  private int skipZeros(short[] block, int at, int from, int end, int zeros, int bit)
      throws JpegException {
    int left = zeros;
    int k = from;
    for (; k <= end; k++) {
      int index = at + Zigzag.NATURAL[k];
      if (block[index] != 0) {
        if (bits.bits(1) != 0 && (block[index] & bit) == 0) {
          block[index] += (short) (block[index] >= 0 ? bit : -bit);
        }
      } else if (--left < 0) {
        break;
      }
    }
    return k;
  }
}
