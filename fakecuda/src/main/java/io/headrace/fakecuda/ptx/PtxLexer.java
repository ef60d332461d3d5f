package io.headrace.fakecuda.ptx;

import io.headrace.fakecuda.ptx.PtxToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts PTX into tokens (PTX ISA, Syntax). */
final class PtxLexer {
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<space>\\s+|//[^\\n]*|/\\*(?s:.*?)\\*/)"
              + "|(?<number>0[fF][0-9a-fA-F]{8}(?!\\w)|0[dD][0-9a-fA-F]{16}(?!\\w)"
              + "|0[xX][0-9a-fA-F]+U?(?!\\w)|[0-9]+U?(?![\\w.]))"
              + "|(?<version>[0-9]+\\.[0-9]+(?!\\w))"
              + "|(?<word>[a-zA-Z_$%.][\\w$%.]*)"
              + "|(?<string>\"[^\"\\n]*\")"
              + "|(?<punctuation>[{}()\\[\\],;:<>|!@=+-])");

  private PtxLexer() {}

  /** The tokens of {@code text}; the last one is END. */
  static List<PtxToken> tokens(String text) {
    List<PtxToken> tokens = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    int at = 0;
    int line = 1;
    while (at < text.length()) {
      if (!matcher.find(at) || matcher.start() != at) {
        throw new PtxException(line, "unexpected character " + text.charAt(at));
      }
      String match = matcher.group();
      if (matcher.group("word") != null) {
        tokens.add(new PtxToken(Kind.WORD, match, line));
      } else if (matcher.group("number") != null || matcher.group("version") != null) {
        tokens.add(new PtxToken(Kind.NUMBER, match, line));
      } else if (matcher.group("string") != null) {
        tokens.add(new PtxToken(Kind.STRING, match, line));
      } else if (matcher.group("punctuation") != null) {
        tokens.add(new PtxToken(Kind.PUNCTUATION, match, line));
      }
      line += (int) match.chars().filter(c -> c == '\n').count();
      at = matcher.end();
    }
    tokens.add(new PtxToken(Kind.END, "the end of the text", line));
    return tokens;
  }
}
