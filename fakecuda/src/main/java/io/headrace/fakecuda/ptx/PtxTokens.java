package io.headrace.fakecuda.ptx;

import io.headrace.fakecuda.ptx.PtxToken.Kind;
import java.util.List;

/** The tokens of a module, taken one by one. */
final class PtxTokens {
  private final List<PtxToken> tokens;
  private int next;

  PtxTokens(String text) {
    tokens = PtxLexer.tokens(text);
  }

  PtxToken peek() {
    return tokens.get(next);
  }

  /** The token behind the next one. */
  PtxToken peekSecond() {
    return tokens.get(Math.min(next + 1, tokens.size() - 1));
  }

  int line() {
    return peek().line();
  }

  PtxToken take() {
    PtxToken token = peek();
    next = Math.min(next + 1, tokens.size() - 1);
    return token;
  }

  boolean nextIs(String text) {
    return peek().is(text);
  }

  boolean atEnd() {
    return peek().kind() == Kind.END;
  }

  /** Takes the next token if it is {@code text}. */
  boolean takeIf(String text) {
    if (!nextIs(text)) {
      return false;
    }
    take();
    return true;
  }

  void expect(String text) {
    if (!takeIf(text)) {
      throw new PtxException(line(), "expected " + text + " and not " + peek().text());
    }
  }

  /** Takes a name or a directive. */
  String word() {
    if (peek().kind() != Kind.WORD) {
      throw new PtxException(line(), "expected a name and not " + peek().text());
    }
    return take().text();
  }

  /** Takes a non-negative integer below 2^31. */
  int count() {
    PtxToken token = take();
    long value = token.kind() == Kind.NUMBER ? PtxLiterals.integer(token) : -1;
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new PtxException(token.line(), "expected a number and not " + token.text());
    }
    return (int) value;
  }

  /** Takes a type with its dot. */
  PtxType type() {
    int line = line();
    String word = word();
    return PtxType.of(word.substring(1))
        .filter(_ -> word.startsWith("."))
        .orElseThrow(() -> new PtxException(line, "the type " + word + " is not known"));
  }

  /** Takes the rest of the line on which the next token is. */
  void skipLine() {
    int line = line();
    while (line() == line && !atEnd()) {
      take();
    }
  }
}
