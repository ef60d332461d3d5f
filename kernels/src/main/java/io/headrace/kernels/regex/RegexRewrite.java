package io.headrace.kernels.regex;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The replacement of a match, in RE2's rewrite syntax: {@code \0} to {@code \9} stand for groups, a
 * double backslash for a backslash, any other byte for itself. An invalid escape ends the rewrite:
 * global replacement inserts the part before it, a single replacement leaves the text unchanged.
 */
final class RegexRewrite {
  /** Literal bytes, then the group that follows them, or -1 for none. */
  private static final class Part {
    private final byte[] literal;
    private final int group;

    Part(byte[] literal, int group) {
      this.literal = literal;
      this.group = group;
    }
  }

  private final List<Part> parts;
  private final int maxGroup;
  private final boolean faulty;

  private RegexRewrite(List<Part> parts, int maxGroup, boolean faulty) {
    this.parts = parts;
    this.maxGroup = maxGroup;
    this.faulty = faulty;
  }

  static RegexRewrite parse(byte[] rewrite) {
    List<Part> parts = new ArrayList<>();
    ByteArrayOutputStream literal = new ByteArrayOutputStream();
    boolean faulty = false;
    int maxGroup = 0;
    for (int i = 0; i < rewrite.length; i++) {
      boolean escaped = rewrite[i] == '\\' && ++i <= rewrite.length;
      int b = i < rewrite.length ? rewrite[i] : -1;
      boolean group = escaped && b >= '0' && b <= '9';
      maxGroup = group ? Math.max(maxGroup, b - '0') : maxGroup;
      faulty |= escaped && !group && b != '\\';
      if (group && !faulty) {
        parts.add(new Part(literal.toByteArray(), b - '0'));
        literal.reset();
      } else if (!faulty) {
        literal.write(b);
      }
    }
    parts.add(new Part(literal.toByteArray(), -1));
    return new RegexRewrite(parts, maxGroup, faulty);
  }

  /** The greatest group that the rewrite refers to. */
  int maxGroup() {
    return maxGroup;
  }

  /** Whether a pattern of {@code groups} groups is replaced; texts stay as they are otherwise. */
  boolean applies(int groups, boolean global) {
    return maxGroup <= groups && (global || !faulty);
  }

  /**
   * Replaces the first match in {@code text}, or all if {@code global}; returns {@code text} itself
   * without a match.
   */
  byte[] replace(RegexMatcher matcher, byte[] text, boolean global) {
    if (!matcher.find(text, 0)) {
      return text;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length);
    int at = 0;
    int lastEnd = -1;
    do {
      int start = matcher.start(0);
      int end = matcher.end(0);
      out.write(text, at, start - at);
      if (start == end && start == lastEnd) {
        // An empty match right behind the previous one does not count: copy one character.
        int next = start + characterSize(text, start);
        out.write(text, start, Math.min(text.length, next) - start);
        at = next;
      } else {
        write(matcher, text, out);
        at = end;
        lastEnd = end;
      }
    } while (global && at <= text.length && matcher.find(text, at));
    if (at < text.length) {
      out.write(text, at, text.length - at);
    }
    return out.toByteArray();
  }

  private void write(RegexMatcher matcher, byte[] text, ByteArrayOutputStream out) {
    for (Part part : parts) {
      out.writeBytes(part.literal);
      if (part.group >= 0 && matcher.start(part.group) >= 0) {
        int start = matcher.start(part.group);
        out.write(text, start, matcher.end(part.group) - start);
      }
    }
  }

  /** Size in bytes of the UTF-8 character at {@code at}; 1 for a malformed one and for none. */
  private static int characterSize(byte[] text, int at) {
    int codePoint = Utf8.decode(text, at);
    return codePoint == Utf8.MALFORMED ? 1 : Utf8.size(codePoint);
  }
}
