package io.headrace.fakecuda.ptx;

/**
 * A token.
 *
 * @param line where it is, counted from 1
 */
record PtxToken(Kind kind, String text, int line) {
  /** The kinds of tokens. */
  enum Kind {
    /** A name, a directive, or an opcode with its modifiers. */
    WORD,
    /** A literal. */
    NUMBER,
    /** Text in quotation marks. */
    STRING,
    /** One other character. */
    PUNCTUATION,
    /** The end of the text. */
    END
  }

  boolean is(String expected) {
    return kind != Kind.STRING && text.equals(expected);
  }
}
