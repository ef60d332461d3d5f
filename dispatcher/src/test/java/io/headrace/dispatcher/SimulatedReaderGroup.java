package io.headrace.dispatcher;

import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A group of readers of a {@link Simulation} that share a job by name, with their supervisor. When
 * all are killed, a group of another size resumes from their merged tokens or from earlier ones. A
 * single reader that is killed resumes alone from its own token, or stays away. No other readers
 * join the job.
 */
final class SimulatedReaderGroup {
  private static final long SECOND = 1_000_000_000;
  private static final int MAX_SIZE = 3;

  private final Simulation simulation;
  private final String job;
  private final List<SimulatedReader> allReaders = new ArrayList<>();
  private final Map<Integer, SimulatedReader> members = new HashMap<>();
  private final List<SimulatedToken> merged = new ArrayList<>();
  private int size;
  private int generation;
  private int named;
  private boolean begun;
  private boolean beginning;
  private boolean over;

  SimulatedReaderGroup(Simulation simulation, String job) {
    this.simulation = simulation;
    this.job = job;
  }

  /** Starts the first readers, without tokens. */
  void start() {
    begun = true;
    size = 1 + simulation.random().nextInt(MAX_SIZE);
    int repetitions = 1 + simulation.random().nextInt(2);
    for (int place = 0; place < size; place++) {
      put(
          place,
          new SimulatedReader(
              simulation, nextName(), job, SimulatedReader.Mode.EXACTLY_ONCE, false, repetitions));
    }
    supervise();
  }

  /** Whether the group will read nothing more. */
  boolean isDone() {
    boolean atRest =
        !beginning
            && members.values().stream().allMatch(SimulatedReader::isDone)
            && (isComplete() || over);
    return !begun || over || atRest;
  }

  /** Whether a group that resumed from merged tokens has read to the end. */
  boolean hasReadTogether() {
    return generation > 0 && isAtEnd();
  }

  private boolean isAtEnd() {
    return isComplete() && members.values().stream().allMatch(SimulatedReader::isAtEnd);
  }

  /** Injects a fault into the group. */
  void fault() {
    if (!begun || beginning || over) {
      return;
    }
    switch (simulation.random().nextInt(4)) {
      case 0, 1 -> restartGroup();
      case 2 -> killOne(true);
      default -> killOne(false);
    }
  }

  @Override
  public String toString() {
    return "%s (of %d, %s)".formatted(job, size, members.values());
  }

  private String nextName() {
    return job + "-" + named++;
  }

  private void put(int place, SimulatedReader reader) {
    members.put(place, reader);
    allReaders.add(reader);
  }

  /** Whether all members of the group have joined. */
  private boolean isComplete() {
    return members.size() == size && members.values().stream().allMatch(SimulatedReader::hasJoined);
  }

  private void supervise() {
    if (over) {
      return;
    }
    boolean waitsInVain =
        !isComplete() && members.values().stream().anyMatch(reader -> !reader.isReading());
    if (!beginning && (waitsInVain || waitsForTheDead())) {
      restartGroup();
    }
    simulation.time().after(3 * SECOND, this::supervise);
  }

  /**
   * Whether a member has gone back to a pass that waits for all members, although one of them,
   * which had joined it before, was killed for good.
   */
  private boolean waitsForTheDead() {
    return members.values().stream().anyMatch(SimulatedReader::isAwaitingOthers)
        && members.values().stream().anyMatch(reader -> reader.isDone() && !reader.isAtEnd());
  }

  /** Kills a reader, or one that was expelled; it may resume alone. */
  private void killOne(boolean forGood) {
    if (!isComplete()) {
      return;
    }
    int place = simulation.random().nextInt(size);
    int of = generation;
    SimulatedReader lost = member(place);
    lost.kill();
    simulation.note("killed " + lost);
    @Nullable SimulatedResumption from = lost.kept();
    if (!forGood && from != null) {
      beginning = true;
      simulation
          .time()
          .after(
              simulation.random().nextLong(15 * SECOND),
              () -> {
                beginning = false;
                if (of == generation) {
                  put(place, new SimulatedReader(lost, nextName(), from));
                }
              });
    }
  }

  private SimulatedReader member(int place) {
    return Optional.ofNullable(members.get(place)).orElseThrow();
  }

  /** Kills all readers, and starts a new group. */
  private void restartGroup() {
    members.values().forEach(SimulatedReader::kill);
    boolean goBack = !merged.isEmpty() && simulation.random().nextInt(4) == 0;
    if (goBack) {
      merged.subList(1 + simulation.random().nextInt(merged.size()), merged.size()).clear();
    } else {
      Optional<SimulatedToken> now = mergeTokens();
      if (now.isEmpty()) {
        simulation.note(this + " has no tokens to begin with again");
        over = true;
        return;
      }
      if (merged.isEmpty() || !merged.getLast().equals(now.get())) {
        merged.add(now.get());
      }
    }
    simulation.note(this + " was killed, and begins again from " + merged.getLast());
    beginning = true;
    long pause = simulation.random().nextInt(4) == 0 ? 15 * SECOND : 3 * SECOND;
    simulation.time().after(simulation.random().nextLong(pause), this::startGroup);
  }

  /**
   * The merged token of the present group. If a member has kept no token since it joined, the
   * others' tokens are of no use, and the last merged token counts. If only some tokens are of a
   * job that was forgotten, their records may overlap, and no token counts.
   */
  private Optional<SimulatedToken> mergeTokens() {
    List<SimulatedToken> tokens = new ArrayList<>();
    for (SimulatedReader member : members.values()) {
      @Nullable SimulatedResumption kept = member.kept();
      if (kept != null && (merged.isEmpty() || !kept.token().equals(merged.getLast()))) {
        tokens.add(kept.token());
      }
    }
    if (tokens.size() < size) {
      return merged.isEmpty() ? Optional.empty() : Optional.of(merged.getLast());
    }
    boolean ofOneRun =
        tokens.stream().map(of -> of.isOfForgotten(simulation.ledger())).distinct().count() == 1;
    return ofOneRun ? tokens.stream().reduce(SimulatedToken::merge) : Optional.empty();
  }

  private void startGroup() {
    SimulatedReader like = allReaders.getFirst();
    SimulatedToken token = merged.getLast();
    members.clear();
    size = 1 + simulation.random().nextInt(MAX_SIZE);
    int of = ++generation;
    List<SimulatedResumption> group =
        IntStream.range(0, size)
            .mapToObj(place -> new SimulatedResumption(token, place, size))
            .toList();
    simulation
        .judge()
        .beginsAgain(
            group.stream().map(SimulatedResumption::readerId).collect(toSet()),
            allReaders.stream().map(SimulatedReader::readerId).collect(toSet()),
            token);
    for (SimulatedResumption from : group) {
      simulation
          .time()
          .after(
              simulation.random().nextLong(2 * SECOND),
              () -> {
                if (of == generation && !over) {
                  put(from.reader(), new SimulatedReader(like, nextName(), from));
                  beginning = members.size() < size;
                }
              });
    }
  }
}
