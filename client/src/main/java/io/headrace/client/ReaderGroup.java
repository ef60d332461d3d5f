package io.headrace.client;

import io.headrace.proto.headrace.AwaitedReaders;
import io.headrace.proto.headrace.WatchIterationResponse;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The readers that resume together in a pass, as one of its readers sees them. Until all of them
 * have joined, a reader of the group delivers nothing, also not what workers hold of an earlier run
 * of the pass: the checkpoint of a reader that has not joined may have the same records. Followed
 * by one thread at a time, read by any.
 */
final class ReaderGroup {
  private volatile boolean gathers;
  private volatile Optional<AwaitedReaders> awaited = Optional.empty();

  /** The group as its reader joins: {@code waits} if the reader is one of several in it. */
  ReaderGroup(boolean waits) {
    gathers = waits;
  }

  /**
   * Follows the dispatcher's view of the pass. Once all have joined, no other group holds it up.
   */
  void follow(WatchIterationResponse state) {
    awaited = state.hasAwaitedReaders() ? Optional.of(state.getAwaitedReaders()) : Optional.empty();
    gathers &= awaited.isPresent() && !state.getIterationFinished();
  }

  /** Whether the reader delivers nothing yet. */
  boolean gathers() {
    return gathers;
  }

  /** The readers that the pass waits for, in words; empty if it waits for none. */
  Optional<String> missing() {
    return awaited.map(ReaderGroup::words);
  }

  private static String words(AwaitedReaders group) {
    long absent = group.getReaders() - group.getJoined();
    if (group.getMissingCount() == 0) {
      return "the pass waits for %d of %d readers that resume together"
          .formatted(absent, group.getReaders());
    }
    String numbers =
        group.getMissingList().stream().map(String::valueOf).collect(Collectors.joining(", "));
    return "the pass waits for %s %s%s of %d, which resume together and count from 0"
        .formatted(
            absent == 1 ? "reader" : "readers",
            numbers,
            absent > group.getMissingCount() ? ", ..." : "",
            group.getReaders());
  }
}
