package io.headrace.dispatcher;

import io.headrace.proto.headrace.JoinIterationRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a reader of a {@link Simulation} goes on from, and with whom.
 *
 * @param reader which of those it is that go on together
 * @param readers how many go on together
 */
record SimulatedResumption(SimulatedToken token, int reader, int readers) {
  /** The number by which the reader is known; the same whenever it goes on from here. */
  long readerId() {
    List<Long> before = new ArrayList<>(new TreeSet<>(token.readers()));
    if (isSame()) {
      return before.getFirst();
    }
    before.add((long) reader);
    before.add((long) readers);
    long seed = 0;
    for (long each : before) {
      seed = seed * 0x9E3779B97F4A7C15L + each;
    }
    return new SplittableRandom(seed).nextLong() | 1;
  }

  private boolean isSame() {
    return readers == 1 && token.readers().size() == 1;
  }

  /** Says in a request for a place in a pass whom the reader follows. */
  void addTo(JoinIterationRequest.Builder request, long repetition) {
    boolean isFirst = repetition == token.firstRepetition();
    boolean asBefore = isSame() && !isFirst && !token.ancestors().isEmpty();
    Set<Long> ancestors = isFirst ? Set.of() : token.ancestors();
    Set<Long> before = asBefore ? Set.of() : token.readersUpTo(repetition);
    request
        .addAllPredecessors(SimulatedToken.union(ancestors, before))
        .setReaders(asBefore ? token.together() : readers)
        .setWaitsForAll(isFirst && readers > 1);
    token.taken(repetition).ifPresent(request::setTaken);
  }

  /** The token of the reader when it has gone on. */
  SimulatedToken next(long repetition, SimulatedToken.Pass pass, long sourcesFingerprint) {
    SortedMap<Long, SimulatedToken.Pass> passes =
        new TreeMap<>(token.passes().tailMap(repetition + 1));
    passes.put(repetition, pass);
    return new SimulatedToken(
        pass.readers(),
        passes,
        isSame() ? token.ancestors() : SimulatedToken.union(token.ancestors(), token.readers()),
        isSame() ? token.together() : readers,
        sourcesFingerprint,
        token.lastRepetition());
  }
}
