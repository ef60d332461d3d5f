package io.headrace.dispatcher;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The successor relation of the readers of a {@link Simulation}. A group that goes back to a token
 * has the numbers of an earlier group of the same size from the same token. Each such return begins
 * another {@link Life} of a reader: what followed the life before, the group's other members among
 * them, does not follow this one.
 */
final class ReaderLineage {
  private final Map<Long, Integer> lives = new HashMap<>();
  private final Map<Life, Set<Life>> followers = new HashMap<>();

  /**
   * A reader between two returns of its group to a token.
   *
   * @param reader its number
   * @param begun how many lives it has had before
   */
  record Life(long reader, int begun) {}

  /** The present life of a reader. */
  Life lifeOf(long reader) {
    return new Life(reader, lives.getOrDefault(reader, 0));
  }

  /** Begins a reader's next life, which follows its present one. */
  void beginLife(long reader) {
    Life before = lifeOf(reader);
    lives.merge(reader, 1, Integer::sum);
    follows(reader, before);
  }

  /** The present life of {@code reader} follows {@code before}. */
  void follows(long reader, Life before) {
    followers.computeIfAbsent(before, _ -> new HashSet<>()).add(lifeOf(reader));
  }

  /** Whether {@code life} is {@code before} or a direct or indirect successor of it. */
  boolean isOf(Life life, Life before) {
    Set<Life> seen = new HashSet<>(Set.of(before));
    Deque<Life> next = new ArrayDeque<>(seen);
    while (!next.isEmpty()) {
      Life at = next.remove();
      if (at.equals(life)) {
        return true;
      }
      followers.getOrDefault(at, Set.of()).stream().filter(seen::add).forEach(next::add);
    }
    return false;
  }

  /** Whether {@code life} is one of the reader {@code before}, or follows one. */
  boolean isOfAny(Life life, long before) {
    return isOf(life, new Life(before, 0)); // all its later ones follow the first
  }
}
