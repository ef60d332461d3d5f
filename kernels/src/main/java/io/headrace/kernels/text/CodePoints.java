package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Reads the code points of some bytes, one at a time. What is malformed is told as U+FFFD, once for
 * each longest run of bytes that begins a character (Unicode, section 3.9, "maximal subpart").
 */
abstract class CodePoints {
  /** What stands for malformed bytes. */
  static final int REPLACEMENT = 0xFFFD;

  /**
   * An encoding.
   *
   * @param hasState whether the byte order that a mark gives holds for the strings behind it, too
   * @param beginner begins to read the strings of a tensor
   */
  record Encoding(boolean hasState, Supplier<Reader> beginner) {
    private Encoding(Reader reader) {
      this(false, () -> reader);
    }

    /** Begins to read the strings of a tensor, in order. */
    Reader begin() {
      return beginner.get();
    }
  }

  /** Reads the characters of strings. */
  @FunctionalInterface
  interface Reader {
    /** Begins to read {@code bytes}. */
    CodePoints read(byte[] bytes);
  }

  final byte[] bytes;
  int at;
  private boolean malformed;

  CodePoints(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Whether there are bytes left. */
  boolean hasNext() {
    return at < bytes.length;
  }

  /** The offset of the next byte. */
  int position() {
    return at;
  }

  /** Whether the bytes that {@link #next} read last were malformed. */
  boolean wasMalformed() {
    return malformed;
  }

  /** The next code point, U+FFFD for malformed bytes. */
  int next() {
    malformed = false;
    return read();
  }

  /** Reads a code point, or calls {@link #bad}. */
  abstract int read();

  /** Passes over {@code length} malformed bytes, or those that are left. */
  int bad(int length) {
    malformed = true;
    at = Math.min(bytes.length, at + length);
    return REPLACEMENT;
  }

  /** The encoding called {@code name}; INVALID_ARGUMENT if there is none. */
  static Encoding encoding(String name) {
    return switch (name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "")) {
      case "utf8" -> new Encoding(Utf8::new);
      case "utf16" -> marked(Utf16::new);
      case "utf16be" -> new Encoding(bytes -> new Utf16(bytes, new Order(true)));
      case "utf16le" -> new Encoding(bytes -> new Utf16(bytes, new Order(false)));
      case "utf32" -> marked(Utf32::new);
      case "utf32be" -> new Encoding(bytes -> new Utf32(bytes, new Order(true)));
      case "utf32le" -> new Encoding(bytes -> new Utf32(bytes, new Order(false)));
      case "latin1" -> other("ISO-8859-1");
      default -> other(name);
    };
  }

  private static Encoding marked(BiFunction<byte[], Order, CodePoints> reader) {
    return new Encoding(
        true,
        () -> {
          Order order = new Order();
          return bytes -> reader.apply(bytes, order);
        });
  }

  private static Encoding other(String name) {
    try {
      Charset charset = Charset.forName(name);
      return new Encoding(bytes -> new Other(bytes, charset));
    } catch (IllegalCharsetNameException | UnsupportedCharsetException _) {
      throw invalidArgument("Could not create converter for input encoding: %s", name);
    }
  }

  private static final class Utf8 extends CodePoints {
    Utf8(byte[] bytes) {
      super(bytes);
    }

    @Override
    int read() {
      int lead = bytes[at] & 0xff;
      if (lead < 0x80) {
        at++;
        return lead;
      }
      int trails = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      if (trails == 0) {
        return bad(1);
      }
      int codePoint = lead & (0x3f >> trails);
      for (int i = 1; i <= trails; i++) {
        int trail = at + i < bytes.length ? bytes[at + i] & 0xff : 0;
        if (trail < lowest(lead, i) || trail > highest(lead, i)) {
          return bad(i);
        }
        codePoint = codePoint << 6 | (trail & 0x3f);
      }
      at += trails + 1;
      return codePoint;
    }

    /** Lower bytes would make a character that is too long, or a surrogate. */
    private static int lowest(int lead, int index) {
      return index > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    }

    private static int highest(int lead, int index) {
      return index > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    }
  }

  /** In which order the bytes of a unit come. Not thread-safe. */
  private static final class Order {
    private final boolean isFixed;
    private boolean isKnown;
    private boolean bigEndian;

    /** To be told by a mark; big-endian if there is none. */
    Order() {
      this.isFixed = false;
      this.bigEndian = true;
    }

    Order(boolean bigEndian) {
      this.isFixed = true;
      this.isKnown = true;
      this.bigEndian = bigEndian;
    }

    /**
     * Forgets what a mark told, as ICU does when a string ends within a unit, or with the character
     * that told the order.
     */
    void forget() {
      if (!isFixed) {
        isKnown = false;
        bigEndian = true;
      }
    }

    /** The first unit is there: whether it is a mark, which it then obeys. */
    boolean isMark(int unit, int swappedMark) {
      boolean first = !isKnown;
      isKnown = true;
      if (first && unit == swappedMark) {
        bigEndian = false;
      }
      return first && (unit == swappedMark || unit == 0xfeff);
    }
  }

  /** Units of several bytes; the first character counts a byte order mark as its own. */
  private abstract static class Units extends CodePoints {
    final Order order;

    Units(byte[] bytes, Order order) {
      super(bytes);
      this.order = order;
    }

    @Override
    int read() {
      boolean detects = !order.isKnown;
      int codePoint = readInOrder();
      if (detects && !hasNext()) {
        order.forget();
      }
      return codePoint;
    }

    abstract int readInOrder();

    int truncated() {
      order.forget();
      return bad(bytes.length - at);
    }
  }

  private static final class Utf16 extends Units {
    Utf16(byte[] bytes, Order order) {
      super(bytes, order);
    }

    @Override
    int readInOrder() {
      if (order.isMark(unit(at), 0xfffe)) {
        at += 2;
      }
      int unit = unit(at);
      if (unit < 0) {
        return truncated();
      }
      if (Character.isHighSurrogate((char) unit)) {
        int low = unit(at + 2);
        if (low < 0) {
          return truncated();
        }
        if (Character.isLowSurrogate((char) low)) {
          at += 4;
          return Character.toCodePoint((char) unit, (char) low);
        }
      }
      if (Character.isSurrogate((char) unit)) {
        return bad(2);
      }
      at += 2;
      return unit;
    }

    private int unit(int from) {
      if (from + 2 > bytes.length) {
        return -1;
      }
      int high = bytes[order.bigEndian ? from : from + 1] & 0xff;
      return high << 8 | (bytes[order.bigEndian ? from + 1 : from] & 0xff);
    }
  }

  private static final class Utf32 extends Units {
    Utf32(byte[] bytes, Order order) {
      super(bytes, order);
    }

    @Override
    int readInOrder() {
      if (at + 4 <= bytes.length && order.isMark(unit(at), 0xfffe0000)) {
        at += 4;
      }
      if (at + 4 > bytes.length) {
        return truncated();
      }
      int unit = unit(at);
      boolean surrogate = unit >= Character.MIN_SURROGATE && unit <= Character.MAX_SURROGATE;
      if (!Character.isValidCodePoint(unit) || surrogate) {
        return bad(4);
      }
      at += 4;
      return unit;
    }

    private int unit(int from) {
      int unit = 0;
      for (int i = 0; i < 4; i++) {
        unit = unit << 8 | (bytes[order.bigEndian ? from + i : from + 3 - i] & 0xff);
      }
      return unit;
    }
  }

  /** Any other encoding, by Java's tables. */
  private static final class Other extends CodePoints {
    private final ByteBuffer in;
    private final CharsetDecoder decoder;

    Other(byte[] bytes, Charset charset) {
      super(bytes);
      this.in = ByteBuffer.wrap(bytes);
      this.decoder = charset.newDecoder();
    }

    @Override
    int read() {
      in.position(at);
      CharBuffer out = CharBuffer.allocate(1);
      CoderResult result = decoder.decode(in, out, true);
      if (out.position() == 0 && result.isOverflow()) {
        out = CharBuffer.allocate(2);
        result = decoder.decode(in, out, true);
      }
      if (out.position() == 0) {
        return bad(result.isError() ? result.length() : bytes.length - at);
      }
      at = in.position();
      return Character.codePointAt(out.flip(), 0);
    }
  }
}
