package io.headrace.kernels.regex;

/**
 * A compiled expression: instructions that consume bytes, choose, or test the place between bytes.
 * Bytes that no instruction tells apart are of one class, by which automata are indexed. Immutable.
 *
 * @param op what each instruction does, one of the constants below
 * @param out the instruction that follows each
 * @param arg of {@link #CHOICE}, the second choice; of {@link #BYTES}, the index of a set; of
 *     {@link #ASSERT}, flags of {@link Assertions}; of {@link #GROUP}, the slot that takes the
 *     position
 * @param sets the classes in each set, as bits
 * @param classOf the class of each byte
 * @param byteOf a byte of each class
 * @param start where a match begins
 * @param search where a search for the first match begins
 * @param groups the number of groups, in the order of their opening parentheses
 * @param traits what the expression's form says about its matches
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RegexProgram(
    byte[] op,
    int[] out,
    int[] arg,
    long[][] sets,
    int[] classOf,
    int[] byteOf,
    int start,
    int search,
    int groups,
    Traits traits) {
  /** Goes on at {@code out}, or, with less preference, at {@code arg}. */
  static final byte CHOICE = 1;

  /** Consumes a byte of set {@code arg}. */
  static final byte BYTES = 2;

  /** Goes on if all of the flags {@code arg} hold. */
  static final byte ASSERT = 3;

  /** Keeps the position in slot {@code arg}. */
  static final byte GROUP = 4;

  static final byte MATCH = 5;

  static final byte FAIL = 6;

  /** Goes on. Programs that are complete have none. */
  static final byte JOIN = 7;

  /**
   * The form of an expression.
   *
   * @param begins whether it matches at the beginning of a text only
   * @param ends whether it matches at the end of a text only
   * @param asserts whether it has an assertion
   * @param bytes the size of every match, or {@link #VARYING}
   * @param prefix bytes that every match begins with
   * @param isOneGroup whether its only group is always the whole match
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Traits(
      boolean begins, boolean ends, boolean asserts, int bytes, byte[] prefix, boolean isOneGroup) {
    static final int VARYING = -1;

    /** Whether the expression stands for one string. */
    boolean isLiteral() {
      return !asserts && bytes > 0 && bytes == prefix.length;
    }
  }

  int size() {
    return op.length;
  }

  /** The number of classes; as a class, it stands for the end of the text or its beginning. */
  int classes() {
    return byteOf.length;
  }

  /** The byte that stands for {@code cls}, or {@link Assertions#NO_BYTE}. */
  int byteOfClass(int cls) {
    return cls == byteOf.length ? Assertions.NO_BYTE : byteOf[cls];
  }

  /** Whether the {@link #BYTES} at {@code pc} consumes bytes of class {@code cls}. */
  boolean consumes(int pc, int cls) {
    return (sets[arg[pc]][cls >> 6] >>> cls & 1) != 0;
  }

  /** The size of the slots: two for the match and two for each group. */
  int slots() {
    return 2 + 2 * groups;
  }
}
