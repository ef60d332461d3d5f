package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ReaderTaken;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The read that a reader's token was taken of. Readers that resume together must have tokens of one
 * read: the records of all their tokens count as taken.
 *
 * @param job the name of the token's job, empty for a job without a name; empty if it is unknown
 * @param readers the readers whose records the token has
 * @param ancestors the readers that these followed
 */
public record TokenRead(Optional<String> job, Set<Long> readers, Set<Long> ancestors) {
  static final TokenRead UNKNOWN = new TokenRead(Optional.empty(), Set.of(), Set.of());

  /** Validates and copies the sets. */
  public TokenRead {
    readers = Set.copyOf(readers);
    ancestors = Set.copyOf(ancestors);
  }

  /**
   * The read of a token.
   *
   * @param job as in the record
   * @param readers as in the record
   * @param predecessors the readers and their ancestors, in any order
   */
  public static TokenRead of(
      Optional<String> job, Collection<Long> readers, Collection<Long> predecessors) {
    Set<Long> of = new TreeSet<>(readers);
    Set<Long> ancestors = new TreeSet<>(predecessors);
    ancestors.removeAll(of);
    return new TokenRead(job, of, ancestors);
  }

  static TokenRead of(ClientAcquired change, Set<Long> predecessors) {
    return of(
        change.hasTokenJob() ? Optional.of(change.getTokenJob()) : Optional.empty(),
        change.getPredecessorsList(),
        predecessors);
  }

  static TokenRead of(ReaderTaken reader) {
    return of(
        reader.hasTokenJob() ? Optional.of(reader.getTokenJob()) : Optional.empty(),
        reader.getTokenReadersList(),
        reader.getPredecessorsList());
  }

  void addTo(ReaderTaken.Builder reader) {
    job.ifPresent(reader::setTokenJob);
    reader.addAllTokenReaders(new TreeSet<>(readers));
  }

  /**
   * Whether the tokens are of one read, as far as it is known: of the same job by its name, of the
   * same readers, or one of a read that goes on from the other's.
   */
  public boolean isSameAs(TokenRead other) {
    if (job.isEmpty() || other.job.isEmpty()) {
      return true;
    }
    boolean sameName = !job.get().isEmpty() && job.equals(other.job);
    boolean sameReader = job.equals(other.job) && readers.equals(other.readers);
    return sameName
        || sameReader
        || !Collections.disjoint(readers, other.ancestors)
        || !Collections.disjoint(ancestors, other.readers);
  }

  /** The read in words, after "a checkpoint of". */
  public String told() {
    String numbers =
        List.copyOf(new TreeSet<>(readers)).stream()
            .map(Long::toHexString)
            .collect(Collectors.joining(", "));
    return job.filter(name -> !name.isEmpty())
        .map(name -> "job " + name)
        .orElse("a read without a job name (reader %s)".formatted(numbers));
  }
}
