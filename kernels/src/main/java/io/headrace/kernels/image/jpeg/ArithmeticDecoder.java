package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/**
 * Decodes sequential and progressive scans with arithmetic coding, ITU-T T.81 F.2.4 and G.1.3. Data
 * that no encoder writes ends its restart interval: the rest stays as it is.
 */
final class ArithmeticDecoder extends EntropyDecoder {
  // Layout of the contexts of DC and AC coefficients, tables F.4 and F.5.
  private static final int DC_CONTEXTS = 64;
  private static final int DC_MAGNITUDES = 20;
  private static final int AC_CONTEXTS = 256;
  private static final int AC_LOW_MAGNITUDES = 189;
  private static final int AC_HIGH_MAGNITUDES = 217;
  private static final int TO_MAGNITUDE_BITS = 14;

  private static final int MAX_MAGNITUDE = 0x8000;
  private static final int BAD = -1;

  private final SpectralProgress progress;
  private final ArithmeticBits bits;
  private final ArithmeticConditioning conditioning;
  private final boolean isProgressive;
  private final byte[][] dcContexts = new byte[ArithmeticConditioning.TABLES][DC_CONTEXTS];
  private final byte[][] acContexts = new byte[ArithmeticConditioning.TABLES][AC_CONTEXTS];
  private final byte[] even = {ArithmeticBits.EVEN};
  private int[] membership = {};
  private int[] lastDc = {};
  private int[] dcContext = {};
  private boolean isBad;

  /** The context at which {@link #magnitude} ended. */
  private int magnitudeContext;

  ArithmeticDecoder(MarkerReader markers, SpectralProgress progress) throws JpegException {
    super(markers);
    this.progress = progress;
    this.bits = new ArithmeticBits(markers);
    this.conditioning = markers.conditioning();
    this.isProgressive = markers.frame().isProgressive();
  }

  @Override
  boolean isExhausted() {
    return false; // the end of the data is legal before that of the image
  }

  @Override
  void startScan(ScanHeader scan) throws JpegException {
    if (isProgressive) {
      progress.add(scan, markers.scans());
    }
    membership = scan.membership();
    lastDc = new int[scan.components().length];
    dcContext = new int[scan.components().length];
    reset(scan);
  }

  private void reset(ScanHeader scan) {
    boolean hasDc = !isProgressive || (scan.spectralStart() == 0 && scan.high() == 0);
    boolean hasAc = !isProgressive || scan.spectralStart() != 0;
    for (FrameComponent component : scan.components()) {
      if (hasDc) {
        Arrays.fill(dcContexts[component.dcTable], (byte) 0);
      }
      if (hasAc) {
        Arrays.fill(acContexts[component.acTable], (byte) 0);
      }
    }
    if (hasDc) {
      Arrays.fill(lastDc, 0);
      Arrays.fill(dcContext, 0);
    }
    bits.start();
    isBad = false;
  }

  @Override
  void restart() throws JpegException {
    reset(markers.scan());
  }

  @Override
  void decodeMcu(Mcu mcu) throws JpegException {
    ScanHeader scan = markers.scan();
    if (isProgressive && scan.spectralStart() == 0 && scan.high() != 0) {
      refineDc(mcu, 1 << scan.low());
      return;
    }
    for (int i = 0; i < membership.length && !isBad; i++) {
      FrameComponent component = scan.components()[membership[i]];
      short[] block = mcu.arrays[i];
      int at = mcu.offsets[i];
      if (isProgressive && scan.high() != 0) {
        refineAc(block, at, component, scan);
        continue;
      }
      int low = isProgressive ? scan.low() : 0;
      if (!isProgressive || scan.spectralStart() == 0) {
        decodeDc(membership[i], component);
        if (!isBad) {
          block[at] = (short) (lastDc[membership[i]] << low);
        }
      }
      if (!isProgressive) {
        decodeAc(block, at, component, 1, Zigzag.COEFFICIENTS - 1, 0);
      } else if (scan.spectralStart() != 0) {
        decodeAc(block, at, component, scan.spectralStart(), scan.spectralEnd(), low);
      }
    }
  }

  private void decodeDc(int member, FrameComponent component) throws JpegException {
    byte[] contexts = dcContexts[component.dcTable];
    int at = dcContext[member];
    if (bits.decide(contexts, at) == 0) {
      dcContext[member] = 0;
      return;
    }
    int sign = bits.decide(contexts, at + 1);
    magnitudeContext = at + 2 + sign;
    int magnitude = bits.decide(contexts, magnitudeContext);
    if (magnitude != 0) {
      magnitude = magnitude(contexts, DC_MAGNITUDES, magnitude);
      if (magnitude == BAD) {
        return;
      }
    }
    dcContext[member] = conditioning.dcContext(component.dcTable, magnitude, sign);
    lastDc[member] += value(contexts, magnitude, sign);
  }

  /** Decodes a magnitude category from {@code first} on; figure F.23. */
  private int magnitude(byte[] contexts, int from, int first) throws JpegException {
    int magnitude = first;
    magnitudeContext = from;
    while (bits.decide(contexts, magnitudeContext) != 0) {
      magnitude <<= 1;
      if (magnitude == MAX_MAGNITUDE) {
        isBad = true;
        return BAD;
      }
      magnitudeContext++;
    }
    return magnitude;
  }

  /** Decodes the bits of a value in category {@code magnitude}; figure F.24. */
  private int value(byte[] contexts, int magnitude, int sign) throws JpegException {
    int value = magnitude;
    for (int bit = magnitude >> 1; bit != 0; bit >>= 1) {
      if (bits.decide(contexts, magnitudeContext + TO_MAGNITUDE_BITS) != 0) {
        value |= bit;
      }
    }
    return sign != 0 ? -value - 1 : value + 1;
  }

  private void decodeAc(
      short[] block, int at, FrameComponent component, int start, int end, int low)
      throws JpegException {
    if (isBad) {
      return;
    }
    byte[] contexts = acContexts[component.acTable];
    for (int k = start; k <= end; k++) {
      if (bits.decide(contexts, 3 * (k - 1)) != 0) {
        break;
      }
      while (bits.decide(contexts, 3 * (k - 1) + 1) == 0) {
        k++;
        if (k > end) {
          isBad = true;
          return;
        }
      }
      int sign = bits.decide(even, 0);
      magnitudeContext = 3 * (k - 1) + 2;
      int magnitude = bits.decide(contexts, magnitudeContext);
      if (magnitude != 0 && bits.decide(contexts, magnitudeContext) != 0) {
        boolean isLow = k <= conditioning.lastLowFrequency(component.acTable);
        magnitude = magnitude(contexts, isLow ? AC_LOW_MAGNITUDES : AC_HIGH_MAGNITUDES, 2);
        if (magnitude == BAD) {
          return;
        }
      }
      block[at + Zigzag.NATURAL[k]] = (short) (value(contexts, magnitude, sign) << low);
    }
  }

  private void refineDc(Mcu mcu, int bit) throws JpegException {
    for (int i = 0; i < membership.length; i++) {
      if (bits.decide(even, 0) != 0) {
        mcu.arrays[i][mcu.offsets[i]] |= (short) bit;
      }
    }
  }

  private void refineAc(short[] block, int at, FrameComponent component, ScanHeader scan)
      throws JpegException {
    byte[] contexts = acContexts[component.acTable];
    int bit = 1 << scan.low();
    int end = scan.spectralEnd();
    int lastNonzero = end;
    while (lastNonzero > 0 && block[at + Zigzag.NATURAL[lastNonzero]] == 0) {
      lastNonzero--;
    }
    for (int k = scan.spectralStart(); k <= end; k++) {
      if (k > lastNonzero && bits.decide(contexts, 3 * (k - 1)) != 0) {
        break;
      }
      while (!refine(block, at + Zigzag.NATURAL[k], contexts, 3 * (k - 1), bit)) {
        k++;
        if (k > end) {
          isBad = true;
          return;
        }
      }
    }
  }

  /** Refines a coefficient; false if it is and stays zero. */
  private boolean refine(short[] block, int index, byte[] contexts, int context, int bit)
      throws JpegException {
    int coefficient = block[index];
    if (coefficient != 0) {
      if (bits.decide(contexts, context + 2) != 0) {
        block[index] = (short) (coefficient + (coefficient < 0 ? -bit : bit));
      }
      return true;
    }
    if (bits.decide(contexts, context + 1) == 0) {
      return false;
    }
    block[index] = (short) (bits.decide(even, 0) != 0 ? -bit : bit);
    return true;
  }
}
