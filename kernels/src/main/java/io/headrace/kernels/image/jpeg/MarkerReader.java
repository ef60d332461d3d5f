package io.headrace.kernels.image.jpeg;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads marker segments, ITU-T T.81 annex B, and keeps the tables and parameters they define.
 * Accepts and refuses what libjpeg does.
 */
final class MarkerReader {
  private static final int TEM = 0x01;
  private static final int SOF0 = 0xC0;
  private static final int SOF1 = 0xC1;
  private static final int SOF2 = 0xC2;
  private static final int DHT = 0xC4;
  private static final int SOF9 = 0xC9;
  private static final int SOF10 = 0xCA;
  private static final int DAC = 0xCC;
  private static final int RST0 = 0xD0;
  private static final int RST7 = 0xD7;
  private static final int SOI = 0xD8;
  private static final int EOI = 0xD9;
  private static final int SOS = 0xDA;
  private static final int DQT = 0xDB;
  private static final int DNL = 0xDC;
  private static final int DRI = 0xDD;
  private static final int APP0 = 0xE0;
  private static final int APP14 = 0xEE;
  private static final int APP15 = 0xEF;
  private static final int COM = 0xFE;

  private static final int TABLES = 4;
  private static final int MAX_SCAN_COMPONENTS = 4;
  private static final int CODE_LENGTHS = 16;
  private static final int SYMBOLS = 256;
  private static final int JFIF_BYTES = 14;
  private static final int ADOBE_BYTES = 12;
  private static final byte[] JFIF = {'J', 'F', 'I', 'F', 0};
  private static final byte[] ADOBE = {'A', 'd', 'o', 'b', 'e'};

  private final JpegInput input;
  private final int[] @Nullable [] quantTables = new int[TABLES] @Nullable [];
  private final HuffmanTable.@Nullable Definition[] dcTables =
      new HuffmanTable.@Nullable Definition[TABLES];
  private final HuffmanTable.@Nullable Definition[] acTables =
      new HuffmanTable.@Nullable Definition[TABLES];
  private final ArithmeticConditioning conditioning = new ArithmeticConditioning();
  private @Nullable FrameHeader frame;
  private @Nullable ScanHeader scan;
  private int scans;
  private boolean hasStarted;
  private boolean isJfif;
  private int adobeTransform = -1;
  private int restartInterval;
  private int nextRestart;

  /** A marker that was read and not yet processed; 0 for none. */
  private int unreadMarker;

  MarkerReader(JpegInput input) {
    this.input = input;
  }

  JpegInput input() {
    return input;
  }

  FrameHeader frame() throws JpegException {
    if (frame == null) {
      throw new JpegException("there is no frame header");
    }
    return frame;
  }

  /** The header of the current scan. */
  ScanHeader scan() throws JpegException {
    if (scan == null) {
      throw new JpegException("there is no scan");
    }
    return scan;
  }

  /** The number of scans begun. */
  int scans() {
    return scans;
  }

  boolean isJfif() {
    return isJfif;
  }

  /** The transform of Adobe's marker; -1 without that marker. */
  int adobeTransform() {
    return adobeTransform;
  }

  int restartInterval() {
    return restartInterval;
  }

  ArithmeticConditioning conditioning() {
    return conditioning;
  }

  int unreadMarker() {
    return unreadMarker;
  }

  void unreadMarker(int marker) {
    unreadMarker = marker;
  }

  /** The quantization table of slot {@code index}, in natural order. */
  int[] quantTable(int index) throws JpegException {
    int[] table = index < TABLES ? quantTables[index] : null;
    if (table == null) {
      throw new JpegException("a quantization table is missing");
    }
    return table;
  }

  HuffmanTable huffmanTable(boolean isDc, int index) throws JpegException {
    HuffmanTable.@Nullable Definition[] tables = isDc ? dcTables : acTables;
    HuffmanTable.@Nullable Definition definition = index < TABLES ? tables[index] : null;
    if (definition == null) {
      throw new JpegException("a Huffman table is missing");
    }
    return HuffmanTable.of(definition, isDc);
  }

  /** Defines the standard's typical tables where the file has not defined its own. */
  void useStandardTables() {
    for (int i = 0; i < 2; i++) {
      dcTables[i] = dcTables[i] == null ? HuffmanTable.standard(true, i) : dcTables[i];
      acTables[i] = acTables[i] == null ? HuffmanTable.standard(false, i) : acTables[i];
    }
  }

  /** Reads segments up to a scan, which it returns, or to the end of the image: null. */
  @Nullable ScanHeader next() throws JpegException {
    input.rewind();
    while (true) {
      if (unreadMarker == 0) {
        if (hasStarted) {
          findMarker();
        } else {
          firstMarker();
        }
      }
      int marker = unreadMarker;
      if (marker == SOS) {
        scan = readScan();
        unreadMarker = 0;
        return scan;
      }
      if (marker == EOI) {
        unreadMarker = 0;
        return null;
      }
      readSegment(marker);
      unreadMarker = 0;
    }
  }

  private void firstMarker() throws JpegException {
    if (input.read() != 0xff || input.read() != SOI) {
      throw new JpegException("the file does not start with SOI");
    }
    unreadMarker = SOI;
    input.mark();
  }

  /** Reads up to the next marker, into {@link #unreadMarker}, and skips everything before it. */
  private void findMarker() throws JpegException {
    int code;
    do {
      while (input.read() != 0xff) {
        input.mark();
      }
      do {
        code = input.read();
      } while (code == 0xff);
      input.mark();
    } while (code == 0);
    unreadMarker = code;
  }

  private void readSegment(int marker) throws JpegException {
    switch (marker) {
      case SOI -> start();
      case SOF0, SOF1 -> readFrame(false, false);
      case SOF2 -> readFrame(true, false);
      case SOF9 -> readFrame(false, true);
      case SOF10 -> readFrame(true, true);
      case DAC -> readArithmeticConditioning();
      case DHT -> readHuffmanTables();
      case DQT -> readQuantTables();
      case DRI -> readRestartInterval();
      case DNL, COM -> skipSegment();
      case TEM -> {}
      default -> {
        if (marker >= APP0 && marker <= APP15) {
          readApplicationData(marker);
        } else if (marker < RST0 || marker > RST7) {
          throw new JpegException("a marker is of an unsupported kind");
        }
      }
    }
  }

  private void start() throws JpegException {
    if (hasStarted) {
      throw new JpegException("there are two SOI markers");
    }
    hasStarted = true;
  }

  private void readFrame(boolean isProgressive, boolean isArithmetic) throws JpegException {
    int length = input.read16();
    int precision = input.read();
    int height = input.read16();
    int width = input.read16();
    int count = input.read();
    if (frame != null) {
      throw new JpegException("there are two frames");
    }
    if (height == 0 || width == 0 || count == 0) {
      throw new JpegException("the image is empty");
    }
    if (length != 8 + 3 * count) {
      throw new JpegException("a frame header has a wrong length");
    }
    FrameComponent[] components = new FrameComponent[count];
    for (int i = 0; i < count; i++) {
      components[i] = new FrameComponent(i, input.read(), input.read(), input.read());
    }
    frame = new FrameHeader(precision, height, width, isProgressive, isArithmetic, components);
    input.mark();
  }

  private ScanHeader readScan() throws JpegException {
    FrameComponent[] all = frame().components();
    int length = input.read16();
    int count = input.read();
    if (length != 6 + 2 * count || count < 1 || count > MAX_SCAN_COMPONENTS) {
      throw new JpegException("a scan header has a wrong length");
    }
    @Nullable FrameComponent[] components = new @Nullable FrameComponent[MAX_SCAN_COMPONENTS];
    for (int i = 0; i < count; i++) {
      int id = input.read();
      int tables = input.read();
      FrameComponent component = find(all, id, components);
      component.dcTable = tables >> 4;
      component.acTable = tables & 15;
      components[i] = component;
    }
    int start = input.read();
    int end = input.read();
    int bits = input.read();
    nextRestart = 0;
    scans++;
    input.mark();
    return new ScanHeader(
        Arrays.copyOf(components, count, FrameComponent[].class), start, end, bits >> 4, bits & 15);
  }

  private static FrameComponent find(
      FrameComponent[] all, int id, @Nullable FrameComponent[] chosen) throws JpegException {
    for (int i = 0; i < Math.min(all.length, MAX_SCAN_COMPONENTS); i++) {
      // libjpeg passes over places of the scan, not components, that are already taken.
      if (all[i].id == id && chosen[i] == null) {
        if (Arrays.asList(chosen).contains(all[i])) {
          break;
        }
        return all[i];
      }
    }
    throw new JpegException("a scan has an unknown component");
  }

  private void readHuffmanTables() throws JpegException {
    int left = input.read16() - 2;
    while (left > CODE_LENGTHS) {
      int index = input.read();
      int[] counts = new int[CODE_LENGTHS];
      for (int i = 0; i < CODE_LENGTHS; i++) {
        counts[i] = input.read();
      }
      int size = Arrays.stream(counts).sum();
      left -= 1 + CODE_LENGTHS;
      if (size > SYMBOLS || size > left) {
        throw new JpegException("a Huffman table has too many codes");
      }
      byte[] symbols = new byte[SYMBOLS];
      for (int i = 0; i < size; i++) {
        symbols[i] = (byte) input.read();
      }
      left -= size;
      boolean isDc = (index & 0x10) == 0;
      int slot = isDc ? index : index - 0x10;
      if (slot >= TABLES) {
        throw new JpegException("a Huffman table has a wrong index");
      }
      (isDc ? dcTables : acTables)[slot] = new HuffmanTable.Definition(counts, symbols);
    }
    endSegment(left);
  }

  private void readQuantTables() throws JpegException {
    int left = input.read16() - 2;
    while (left > 0) {
      int head = input.read();
      boolean isWide = head >> 4 != 0;
      int slot = head & 15;
      if (slot >= TABLES) {
        throw new JpegException("a quantization table has a wrong index");
      }
      int[] table = new int[Zigzag.COEFFICIENTS];
      for (int i = 0; i < Zigzag.COEFFICIENTS; i++) {
        table[Zigzag.NATURAL[i]] = isWide ? input.read16() : input.read();
      }
      quantTables[slot] = table;
      left -= 1 + Zigzag.COEFFICIENTS * (isWide ? 2 : 1);
    }
    endSegment(left);
  }

  private void readArithmeticConditioning() throws JpegException {
    int left = input.read16() - 2;
    while (left > 0) {
      conditioning.set(input.read(), input.read());
      left -= 2;
    }
    endSegment(left);
  }

  private void endSegment(int left) throws JpegException {
    if (left != 0) {
      throw new JpegException("a segment has a wrong length");
    }
    input.mark();
  }

  private void readRestartInterval() throws JpegException {
    if (input.read16() != 4) {
      throw new JpegException("a DRI segment has a wrong length");
    }
    restartInterval = input.read16();
    input.mark();
  }

  private void readApplicationData(int marker) throws JpegException {
    if (marker != APP0 && marker != APP14) {
      skipSegment();
      return;
    }
    int length = Math.max(0, input.read16() - 2);
    byte[] head = new byte[Math.min(length, JFIF_BYTES)];
    for (int i = 0; i < head.length; i++) {
      head[i] = (byte) input.read();
    }
    if (marker == APP0) {
      isJfif |= head.length >= JFIF_BYTES && startsWith(head, JFIF);
    } else if (head.length >= ADOBE_BYTES && startsWith(head, ADOBE)) {
      adobeTransform = head[ADOBE_BYTES - 1] & 0xff;
    }
    input.mark();
    input.skip(length - head.length);
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  private void skipSegment() throws JpegException {
    int length = Math.max(0, input.read16() - 2);
    input.mark();
    input.skip(length);
  }

  /**
   * Reads the restart marker that is due. If another is found, it resynchronizes as libjpeg does:
   * it leaves a marker that may be ahead of its time unread, which makes the interval empty, and
   * skips one that came late.
   */
  void readRestartMarker() throws JpegException {
    input.rewind();
    if (unreadMarker == 0) {
      findMarker();
    }
    if (unreadMarker == RST0 + nextRestart) {
      unreadMarker = 0;
    } else {
      resynchronize();
    }
    nextRestart = (nextRestart + 1) & 7;
  }

  private void resynchronize() throws JpegException {
    while (true) {
      boolean isRestart = unreadMarker >= RST0 && unreadMarker <= RST7;
      int ahead = (unreadMarker - RST0 - nextRestart) & 7;
      if (unreadMarker < SOF0 || (isRestart && ahead >= 6)) {
        findMarker();
      } else if (!isRestart || ahead == 1 || ahead == 2) {
        return;
      } else {
        unreadMarker = 0;
        return;
      }
    }
  }
}
