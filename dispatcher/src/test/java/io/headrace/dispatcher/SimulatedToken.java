package io.headrace.dispatcher;

import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.runtime.origin.RecordSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A token that a trainer of a {@link Simulation} keeps, or several merged ones.
 *
 * @param readers the readers it belongs to
 * @param passes the taken records by repetition; not to be modified
 * @param ancestors the predecessors of its readers
 * @param together the size of the group that succeeded the ancestors
 * @param sourcesFingerprint the fingerprint of the sources; 0 for none
 * @param lastRepetition the last pass that its readers want
 */
record SimulatedToken(
    Set<Long> readers,
    SortedMap<Long, Pass> passes,
    Set<Long> ancestors,
    long together,
    long sourcesFingerprint,
    long lastRepetition) {
  /**
   * One pass of a token.
   *
   * @param readers the readers in it
   * @param taken the records they had taken; not to be modified
   * @param iteration the iteration
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

  /** The readers of the token's passes up to {@code repetition}. */
  Set<Long> readersUpTo(long repetition) {
    return passes.headMap(repetition + 1).values().stream()
        .map(Pass::readers)
        .reduce(Set.of(), SimulatedToken::union);
  }

  long firstRepetition() {
    return passes.firstKey();
  }

  /** The taken records of a pass; empty if the token does not have the pass. */
  Optional<RecordSetProto> taken(long repetition) {
    return Optional.ofNullable(passes.get(repetition)).map(pass -> pass.taken.toProto());
  }

  /** Whether one of the token's passes was abandoned and collected. */
  boolean isOfForgotten(JournalOracle ledger) {
    return passes.values().stream().anyMatch(pass -> ledger.wasCollected(pass.iteration));
  }
}
