package io.headrace.dispatcher;

import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.runtime.origin.RecordSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A token as a trainer of a {@link Simulation} keeps it, or one that was merged of several.
 *
 * @param readers whose it is
 * @param passes what was taken of each pass that it tells of; not to be changed
 * @param ancestors those whom its readers followed
 * @param together how many followed them
 * @param lastRepetition the last pass that its reader wants
 */
record SimulatedToken(
    Set<Long> readers,
    SortedMap<Long, Pass> passes,
    Set<Long> ancestors,
    long together,
    long sourcesFingerprint,
    long lastRepetition) {
  /**
   * One pass.
   *
   * @param readers those that were in it
   * @param taken what they had taken of it; not to be changed
   * @param iteration the iteration that they were in
   */
  record Pass(Set<Long> readers, RecordSet taken, long iteration) {
    private Pass with(Pass other) {
      RecordSet both = taken.copy();
      both.addAll(other.taken);
      return new Pass(union(readers, other.readers), both, iteration);
    }

    @Override
    public String toString() {
      return "of " + readers;
    }
  }

  SimulatedToken merge(SimulatedToken other) {
    SortedMap<Long, Pass> all = new TreeMap<>(passes);
    other.passes.forEach((repetition, pass) -> all.merge(repetition, pass, Pass::with));
    return new SimulatedToken(
        union(readers, other.readers),
        all,
        union(ancestors, other.ancestors),
        Math.max(together, other.together),
        sourcesFingerprint == 0 ? other.sourcesFingerprint : sourcesFingerprint,
        lastRepetition);
  }

  static Set<Long> union(Set<Long> one, Set<Long> other) {
    Set<Long> both = new TreeSet<>(one);
    both.addAll(other);
    return both;
  }

  /** Those of its readers that had not left a pass behind. */
  Set<Long> readersUpTo(long repetition) {
    return passes.headMap(repetition + 1).values().stream()
        .map(Pass::readers)
        .reduce(Set.of(), SimulatedToken::union);
  }

  long firstRepetition() {
    return passes.firstKey();
  }

  /** What was taken of a pass; empty for one that it does not tell of. */
  Optional<RecordSetProto> taken(long repetition) {
    return Optional.ofNullable(passes.get(repetition)).map(pass -> pass.taken.toProto());
  }

  /** Whether a pass that it tells of was left so long that it was forgotten. */
  boolean isOfForgotten(Ledger ledger) {
    return passes.values().stream().anyMatch(pass -> ledger.wasCollected(pass.iteration));
  }
}
