package io.headrace.kernels.image.jpeg;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * A Huffman table, ITU-T T.81 annex C, with a lookup by the next eight bits.
 *
 * <p>Immutable.
 */
final class HuffmanTable {
  static final int LOOKAHEAD = 8;
  private static final int MAX_LENGTH = 16;
  private static final int MAX_DC_SYMBOL = 15;

  /** By the next eight bits: the length of the code shifted by eight, and its symbol. */
  final int[] lookup = new int[1 << LOOKAHEAD];

  /** By length: the largest code, -1 if there is none; the last entry ends every search. */
  final int[] maxCode = new int[MAX_LENGTH + 2];

  /** By length: what added to a code is the index of its symbol. */
  final int[] offset = new int[MAX_LENGTH + 2];

  private final byte[] symbols;

  private HuffmanTable(byte[] symbols) {
    this.symbols = symbols;
  }

  /** The segment's contents: the number of codes of lengths 1 to 16, and 256 symbols. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Definition(int[] counts, byte[] symbols) {
    int size() {
      int size = 0;
      for (int count : counts) {
        size += count;
      }
      return size;
    }
  }

  static HuffmanTable of(Definition definition, boolean isDc) throws JpegException {
    HuffmanTable table = new HuffmanTable(definition.symbols());
    table.build(definition);
    for (int i = 0; isDc && i < definition.size(); i++) {
      if ((definition.symbols()[i] & 0xff) > MAX_DC_SYMBOL) {
        throw new JpegException("a Huffman table for DC has a symbol above 15");
      }
    }
    return table;
  }

  private void build(Definition definition) throws JpegException {
    Arrays.fill(lookup, (LOOKAHEAD + 1) << LOOKAHEAD);
    int code = 0;
    int index = 0;
    for (int length = 1; length <= MAX_LENGTH; length++) {
      int count = definition.counts()[length - 1];
      offset[length] = index - code;
      for (int i = 0; i < count; i++, code++, index++) {
        if (length <= LOOKAHEAD) {
          addToLookup(code, length, symbols[index] & 0xff);
        }
      }
      maxCode[length] = count == 0 ? -1 : code - 1;
      if (code >= 1 << length) {
        throw new JpegException("a Huffman table has too many codes");
      }
      code <<= 1;
    }
    maxCode[MAX_LENGTH + 1] = Integer.MAX_VALUE;
  }

  private void addToLookup(int code, int length, int symbol) {
    int free = LOOKAHEAD - length;
    int from = code << free;
    // A table with too many codes of a length is refused after the last of them.
    int to = Math.min(lookup.length, from + (1 << free));
    for (int i = from; i < to; i++) {
      lookup[i] = length << LOOKAHEAD | symbol;
    }
  }

  /** The symbol of a code of {@code length} bits; 0 for a code that the table lacks. */
  int symbol(int code, int length) {
    return length > MAX_LENGTH ? 0 : symbols[(code + offset[length]) & 0xff] & 0xff;
  }

  /** A table of ITU-T T.81 annex K.3, with which a sequential file may omit its own. */
  static Definition standard(boolean isDc, int index) {
    String counts;
    String values;
    if (isDc) {
      counts = index == 0 ? "00010501010101010100000000000000" : "00030101010101010101010000000000";
      values = "000102030405060708090a0b";
    } else if (index == 0) {
      counts = "0002010303020403050504040000017d";
      values = LUMINANCE_AC;
    } else {
      counts = "00020102040403040705040400010277";
      values = CHROMINANCE_AC;
    }
    byte[] bytes = HexFormat.of().parseHex(counts);
    int[] lengths = new int[MAX_LENGTH];
    for (int i = 0; i < MAX_LENGTH; i++) {
      lengths[i] = bytes[i] & 0xff;
    }
    return new Definition(lengths, Arrays.copyOf(HexFormat.of().parseHex(values), 1 << Byte.SIZE));
  }

  /** Table K.5. */
  private static final String LUMINANCE_AC =
      "0102030004110512213141061351610722711432"
          + "8191a1082342b1c11552d1f02433627282090a16"
          + "1718191a25262728292a3435363738393a434445"
          + "464748494a535455565758595a63646566676869"
          + "6a737475767778797a838485868788898a929394"
          + "95969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6"
          + "b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8"
          + "d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8"
          + "f9fa";

  /** Table K.6. */
  private static final String CHROMINANCE_AC =
      "0001020311040521310612415107617113223281"
          + "08144291a1b1c109233352f0156272d10a162434"
          + "e125f11718191a262728292a35363738393a4344"
          + "45464748494a535455565758595a636465666768"
          + "696a737475767778797a82838485868788898a92"
          + "939495969798999aa2a3a4a5a6a7a8a9aab2b3b4"
          + "b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6"
          + "d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8"
          + "f9fa";
}
