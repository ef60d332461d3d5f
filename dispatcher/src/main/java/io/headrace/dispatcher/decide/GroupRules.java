package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.Readers.Member;
import io.headrace.dispatcher.state.TokenRead;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rules for readers that resume together in a pass: their tokens are of one read, no two are
 * the same number of the group, and all say the same size. Otherwise records of one token would
 * count as taken though nobody has taken them in this read, or those of a missing token would be
 * made again.
 */
final class GroupRules {
  private final Iteration iteration;
  private final Takeover joining;
  private final Set<Long> replaced;

  /**
   * The rules for a reader that joins.
   *
   * @param replaced the readers that it replaces
   */
  GroupRules(Iteration iteration, Takeover joining, Set<Long> replaced) {
    this.iteration = iteration;
    this.joining = joining;
    this.replaced = replaced;
  }

  /**
   * The members of the group that have joined, left, and contradict the reader that joins, with the
   * readers of their tokens: it goes on as if they had not joined.
   *
   * @throws StatusException FAILED_PRECONDITION if one that is present contradicts it, naming both
   */
  Set<Long> contradicted() {
    Set<Long> departed = new TreeSet<>();
    if (!joining.waitsForAll() || joining.together() <= 1) {
      return departed;
    }
    Readers readers = iteration.readers().orElseThrow();
    Set<Long> theirs = new TreeSet<>();
    Set<Long> others = new TreeSet<>(joining.predecessors());
    for (long id : readers.arrived()) {
      Member member = readers.member(id);
      boolean counts = id != joining.reader() && !replaced.contains(id);
      Optional<String> contradiction = counts ? contradiction(member) : Optional.empty();
      if (contradiction.isEmpty()) {
        others.addAll(member.read().readers());
        continue;
      }
      if (member.client().isPresent()) {
        throw new StatusException(StatusCode.FAILED_PRECONDITION, contradiction.get());
      }
      // Once all have joined, those that left may have taken records.
      if (readers.areAwaited()) {
        departed.add(id);
        theirs.addAll(member.read().readers());
      }
    }
    theirs.removeAll(others);
    departed.addAll(theirs);
    return departed;
  }

  private Optional<String> contradiction(Member member) {
    if (member.together() > 1 && member.together() != joining.together()) {
      return Optional.of(
          told(
              member,
              "",
              "readers that resume together all say the same number of readers. If their number"
                  + " changes, merge their checkpoints, and let all begin from the merged one"));
    }
    TokenRead read = joining.read();
    if (!read.isSameAs(member.read())) {
      return Optional.of(
          told(
              member,
              " from a checkpoint of %s, and this one has one of %s"
                  .formatted(member.read().told(), read.told()),
              "readers that resume together have checkpoints of one read, for what is in any of"
                  + " them is not read again"));
    }
    if (joining.index().isPresent() && joining.index().equals(member.index())) {
      return Optional.of(
          told(
              member,
              " from another checkpoint",
              "each reader of a group has a number of its own, from 0 to %d"
                  .formatted(joining.together() - 1)));
    }
    return Optional.empty();
  }

  private String told(Member member, String how, String rule) {
    long client = member.client().orElse(0);
    return "this reader, %s, can't join pass %d of job %s: reader %d, %s, has joined it%s; %s;"
            .formatted(
                number(joining.index(), joining.together()),
                iteration.repetition(),
                iteration.job().name(),
                client,
                number(member.index(), member.together()),
                how,
                rule)
        + " if reader %1$d is the wrong one, or its process has died, end it by headrace forget"
            .formatted(client)
        + " --reader=%d".formatted(client);
  }

  /** The reason that a reader is told whose place {@code successor} takes. */
  static String replacement(Iteration iteration, long client, Takeover successor) {
    Job job = iteration.job();
    Member member =
        iteration.readers().orElseThrow().member(iteration.readers().orElseThrow().of(client));
    boolean resized = member.together() > 1 && member.together() != successor.together();
    return "reader %d%s of job %d (%s) has lost its place in pass %d: a reader that resumes%s from a"
            .formatted(
                client,
                member.together() > 1 ? ", " + number(member.index(), member.together()) + "," : "",
                job.id(),
                job.name(),
                iteration.repetition(),
                successor.together() > 1
                    ? " as " + number(successor.index(), successor.together())
                    : "")
        + " checkpoint of the same reader took its place"
        + (resized
            ? ", and a group of %d ends the one of %d: if %2$d still read, that reader gave a wrong"
                    .formatted(successor.together(), member.together())
                + " number"
            : "")
        + "; go on from the last checkpoint";
  }

  private static String number(OptionalLong index, long together) {
    return index.isPresent()
        ? "number %d of %d".formatted(index.getAsLong(), together)
        : "one of %d".formatted(together);
  }
}
