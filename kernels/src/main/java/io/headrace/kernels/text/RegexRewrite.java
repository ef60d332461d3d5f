package io.headrace.kernels.text;

import com.google.re2j.Matcher;
import io.headrace.kernels.kit.Strings;
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

  /**
   * Replaces the first match in {@code text}, or all if {@code global}; returns {@code text} itself
   * without a match.
   */
  byte[] replace(Matcher matcher, byte[] text, boolean global) {
    if (maxGroup > matcher.groupCount() || (faulty && !global)) {
      return text;
    }
    matcher.reset(text);
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length);
    int at = 0;
    int lastEnd = -1;
    boolean replaced = false;
    while (at <= text.length && (global || !replaced) && matcher.find(at)) {
      out.write(text, at, matcher.start() - at);
      if (matcher.start() == matcher.end() && matcher.start() == lastEnd) {
        // An empty match right after the previous match does not count: copy one character.
        int next = Math.min(text.length, lastEnd + characterSize(text, lastEnd));
        out.write(text, lastEnd, next - lastEnd);
        at = next == lastEnd ? text.length + 1 : next;
        lastEnd = -1;
        continue;
      }
      write(matcher, text, out);
      replaced = true;
      at = matcher.end();
      lastEnd = at;
    }
    if (!replaced) {
      return text;
    }
    if (at < text.length) {
      out.write(text, at, text.length - at);
    }
    return out.toByteArray();
  }

  private void write(Matcher matcher, byte[] text, ByteArrayOutputStream out) {
    for (Part part : parts) {
      out.writeBytes(part.literal);
      if (part.group >= 0 && matcher.start(part.group) >= 0) {
        int start = matcher.start(part.group);
        out.write(text, start, matcher.end(part.group) - start);
      }
    }
  }

  /** Size in bytes of the UTF-8 character at {@code at}; 1 for a malformed or truncated one. */
  private static int characterSize(byte[] text, int at) {
    if (at >= text.length) {
      return 0;
    }
    int lead = text[at] & 0xff;
    int size = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
    for (int i = 1; i < size; i++) {
      if (at + i >= text.length || !Strings.isTrailByte(text[at + i])) {
        return 1;
      }
    }
    return size;
  }
}
