package io.headrace.kernels.regex;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** The patterns that a kernel compiled last, up to a bound. Thread-safe. */
final class RegexCache {
  private static final int MAX_PATTERNS = 16;

  /** A pattern's text as the caller last gave it: most calls give the same array. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Latest(byte[] text, RegexPattern pattern) {}

  /** In order of use. Guarded by this. */
  private final SequencedMap<ByteBuffer, RegexPattern> patterns =
      new LinkedHashMap<>(MAX_PATTERNS, 0.75f, true);

  private volatile @Nullable Latest latest;

  /** The pattern that {@code text} stands for; INVALID_ARGUMENT if it is not valid. */
  @SuppressWarnings("ReferenceEquality") // an equal array is found, too
  RegexPattern compile(byte[] text) {
    Latest last = latest;
    return last != null && last.text == text ? last.pattern : find(text);
  }

  private synchronized RegexPattern find(byte[] text) {
    RegexPattern pattern = patterns.get(ByteBuffer.wrap(text));
    if (pattern == null) {
      pattern = RegexPattern.compile(text);
      patterns.put(ByteBuffer.wrap(text), pattern);
      if (patterns.size() > MAX_PATTERNS) {
        var _ = patterns.pollFirstEntry();
      }
    }
    latest = new Latest(text, pattern);
    return pattern;
  }
}
