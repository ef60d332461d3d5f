package io.headrace.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records as words, for tests. */
final class Records {
  private Records() {}

  static List<byte[]> of(String... words) {
    return Arrays.stream(words).map(word -> word.getBytes(UTF_8)).toList();
  }

  /** Appends {@code words} as one batch and waits; returns the number of the last one. */
  static long append(Journal journal, String... words) {
    return journal.append(of(words)).join();
  }

  static List<String> replay(Journal journal) {
    List<String> words = new ArrayList<>();
    journal.replay(record -> words.add(new String(record, UTF_8)));
    return words;
  }
}
