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
 * Decodes a byte string, one code point at a time. Malformed input yields U+FFFD, once for each
 * maximal subpart of an ill-formed sequence (Unicode Standard, section 3.9). A decoder reads one
 * string. Not thread-safe.
 */
abstract class CodePointDecoder {
  /** The replacement character, returned for malformed bytes. */
  static final int REPLACEMENT = 0xFFFD;

  /**
   * An input encoding.
   *
   * @param hasState whether the byte order that a byte order mark sets carries over to the strings
   *     after it in the same tensor
   * @param factory makes a reader for the strings of one tensor
   */
  record Encoding(boolean hasState, Supplier<Reader> factory) {
    private Encoding(Reader reader) {
      this(false, () -> reader);
    }

    /** A reader for the strings of one tensor, which it must be given in order. */
    Reader newReader() {
      return factory.get();
    }
  }

  /** Makes a decoder for each string of a tensor. */
  @FunctionalInterface
  interface Reader {
    /** A decoder at the start of {@code bytes}. */
    CodePointDecoder read(byte[] bytes);
  }

  final byte[] bytes;
  int at;
  private boolean malformed;

  CodePointDecoder(byte[] bytes) {
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

  /** Whether the last call of {@link #next} read malformed bytes. */
  boolean wasMalformed() {
    return malformed;
  }

  /** The next code point; U+FFFD for malformed bytes. */
  int next() {
    malformed = false;
    return read();
  }

  /** Reads a code point, or calls {@link #skipMalformed} on malformed input. */
  abstract int read();

  /** Skips {@code length} malformed bytes, or the remaining ones if fewer. */
  int skipMalformed(int length) {
    malformed = true;
    at = Math.min(bytes.length, at + length);
    return REPLACEMENT;
  }

  /** The encoding called {@code name}; INVALID_ARGUMENT for an unknown name. */
  static Encoding encoding(String name) {
    return switch (name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "")) {
      case "utf8" -> new Encoding(Utf8::new);
      case "utf16" -> withByteOrderMark(Utf16::new);
      case "utf16be" -> new Encoding(bytes -> new Utf16(bytes, new Order(true)));
      case "utf16le" -> new Encoding(bytes -> new Utf16(bytes, new Order(false)));
      case "utf32" -> withByteOrderMark(Utf32::new);
      case "utf32be" -> new Encoding(bytes -> new Utf32(bytes, new Order(true)));
      case "utf32le" -> new Encoding(bytes -> new Utf32(bytes, new Order(false)));
      case "latin1" -> ofCharset("ISO-8859-1");
      default -> ofCharset(name);
    };
  }

  private static Encoding withByteOrderMark(BiFunction<byte[], Order, CodePointDecoder> reader) {
    return new Encoding(
        true,
        () -> {
          Order order = new Order();
          return bytes -> reader.apply(bytes, order);
        });
  }

  private static Encoding ofCharset(String name) {
    try {
      Charset charset = Charset.forName(name);
      return new Encoding(bytes -> new CharsetCodePoints(bytes, charset));
    } catch (IllegalCharsetNameException | UnsupportedCharsetException _) {
      throw invalidArgument("Could not create converter for input encoding: %s", name);
    }
  }

  private static final class Utf8 extends CodePointDecoder {
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
      int trailBytes = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      if (trailBytes == 0) {
        return skipMalformed(1);
      }
      int codePoint = lead & (0x3f >> trailBytes);
      for (int i = 1; i <= trailBytes; i++) {
        int trail = at + i < bytes.length ? bytes[at + i] & 0xff : 0;
        if (trail < lowest(lead, i) || trail > highest(lead, i)) {
          return skipMalformed(i);
        }
        codePoint = codePoint << 6 | (trail & 0x3f);
      }
      at += trailBytes + 1;
      return codePoint;
    }

    /** The least trail byte; a lower one would give an overlong form. */
    private static int lowest(int lead, int index) {
      return index > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    }

    /** The greatest trail byte; a higher one would give a surrogate or exceed U+10FFFF. */
    private static int highest(int lead, int index) {
      return index > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    }
  }

  /** The byte order of code units, fixed or detected from a byte order mark. Not thread-safe. */
  private static final class Order {
    private final boolean isFixed;
    private boolean isKnown;
    private boolean bigEndian;

    /** Detected from a byte order mark; big-endian without one. */
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
     * Resets a detected byte order, as ICU does when a string ends within a code unit or right
     * after the character that began with the mark.
     */
    void reset() {
      if (!isFixed) {
        isKnown = false;
        bigEndian = true;
      }
    }

    /** Whether {@code unit} is a leading byte order mark, which then sets the order. */
    boolean isMark(int unit, int swappedMark) {
      boolean first = !isKnown;
      isKnown = true;
      if (first && unit == swappedMark) {
        bigEndian = false;
      }
      return first && (unit == swappedMark || unit == 0xfeff);
    }
  }

  /**
   * Encodings with code units of several bytes. A byte order mark counts as part of the first
   * character: its position is that of the mark.
   */
  private abstract static class MultiByteUnits extends CodePointDecoder {
    final Order order;

    MultiByteUnits(byte[] bytes, Order order) {
      super(bytes);
      this.order = order;
    }

    @Override
    int read() {
      boolean detects = !order.isKnown;
      int codePoint = readInOrder();
      if (detects && !hasNext()) {
        order.reset();
      }
      return codePoint;
    }

    abstract int readInOrder();

    int truncated() {
      order.reset();
      return skipMalformed(bytes.length - at);
    }
  }

  private static final class Utf16 extends MultiByteUnits {
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
        return skipMalformed(2);
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

  private static final class Utf32 extends MultiByteUnits {
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
        return skipMalformed(4);
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

  /** Any ofCharset encoding, by a charset of the JDK. */
  private static final class CharsetCodePoints extends CodePointDecoder {
    private final ByteBuffer in;
    private final CharsetDecoder decoder;

    CharsetCodePoints(byte[] bytes, Charset charset) {
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
        return skipMalformed(result.isError() ? result.length() : bytes.length - at);
      }
      at = in.position();
      return Character.codePointAt(out.flip(), 0);
    }
  }
}
