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
 * A token from which a reader of a {@link Simulation} resumes, and the group it belongs to.
 *
 * @param token the token
 * @param reader the reader's index in the group
 * @param readers the size of the group
 */
record SimulatedResumption(SimulatedToken token, int reader, int readers) {
  /** The reader's number; the same each time it resumes from here. */
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

  /** The readers that the reader follows, in whatever pass they were. */
  private Set<Long> followed() {
    return isSame() ? token.ancestors() : SimulatedToken.union(token.ancestors(), token.readers());
  }

  /** Adds the token to a join request for a pass. */
  void addTo(JoinIterationRequest.Builder request, long repetition) {
    boolean isFirst = repetition == token.firstRepetition();
    boolean asBefore = isSame() && !isFirst && !token.ancestors().isEmpty();
    Set<Long> ancestors = isFirst ? Set.of() : token.ancestors();
    Set<Long> before = asBefore ? Set.of() : token.readersUpTo(repetition);
    request
        .addAllPredecessors(SimulatedToken.union(ancestors, before))
        .addAllAncestors(followed())
        .setReaders(isSame() ? Math.max(readers, token.together()) : readers)
        .setWaitsForAll(isFirst && readers > 1);
    token.taken(repetition).ifPresent(request::setTaken);
  }

  /** The reader's token after it has resumed. */
  SimulatedToken next(long repetition, SimulatedToken.Pass pass, long sourcesFingerprint) {
    SortedMap<Long, SimulatedToken.Pass> passes =
        new TreeMap<>(token.passes().tailMap(repetition + 1));
    passes.put(repetition, pass);
    return new SimulatedToken(
        pass.readers(),
        passes,
        followed(),
        isSame() ? token.together() : readers,
        sourcesFingerprint,
        token.lastRepetition());
  }
}
