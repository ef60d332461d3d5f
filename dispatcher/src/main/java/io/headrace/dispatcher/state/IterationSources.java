package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The split sources of an iteration. Records number a repetition of a source as {@code repetition *
 * size + provider}.
 *
 * @param list the sources, by split provider
 */
public record IterationSources(List<SplitSource> list) {
  public IterationSources {
    list = List.copyOf(list);
  }

  int size() {
    return list.size();
  }

  /** The source number of a repetition of a provider. */
  public long number(long repetition, long provider) {
    return repetition * list.size() + provider;
  }

  /** The split source behind a source number. */
  SplitSource get(long number) {
    return list.get((int) (number % list.size()));
  }

  long repetition(long number) {
    return number / list.size();
  }

  /**
   * The splits of a source whose records are all in {@code records}. The caller must not modify the
   * set.
   */
  LongSet complete(RecordSet records, long number) {
    return get(number).getGrouped()
        ? records.completeGroups(number)
        : records.records(number, Origins.SPLITS);
  }

  /** A fingerprint of the sources, never 0: 64 bits of a SHA-256. */
  public long fingerprint() {
    MessageDigest digest = sha256();
    for (SplitSource source : list) {
      // A source's own fingerprint covers its files.
      byte[] bytes = source.toBuilder().clearFiles().build().toByteArray();
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
      digest.update(bytes);
    }
    return first(digest);
  }

  /** A hash of {@code records}: 64 bits of a SHA-256; 0 for no records. */
  public static long hash(RecordSet records) {
    if (records.isEmpty()) {
      return 0;
    }
    MessageDigest digest = sha256();
    digest.update(records.toProto().toByteArray());
    return first(digest);
  }

  private static long first(MessageDigest digest) {
    long hash = ByteBuffer.wrap(digest.digest()).getLong();
    return hash == 0 ? 1 : hash;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Parses the records of {@code message} and checks them against the sources.
   *
   * @param what the field's name in error messages
   * @throws StatusException INVALID_ARGUMENT for a malformed set, for records of splits that the
   *     sources don't have, or for groups where the splits are records and vice versa
   */
  public RecordSet read(RecordSetProto message, String what) {
    RecordSet records = parse(message, what);
    for (long number : records.sources()) {
      if (list.isEmpty() || number < 0) {
        throw StatusException.invalidArgument(
            "%s: there is no source %d among %d sources", what, number, list.size());
      }
      require(records, number, what);
    }
    return records;
  }

  /**
   * Parses the records of {@code message} without checking them against any sources.
   *
   * @param what the field's name in error messages
   * @throws StatusException INVALID_ARGUMENT for a malformed set
   */
  public static RecordSet parse(RecordSetProto message, String what) {
    try {
      return RecordSet.of(message);
    } catch (StatusException e) {
      throw StatusException.invalidArgument("%s: %s", what, String.valueOf(e.getMessage()));
    }
  }

  private void require(RecordSet records, long number, String what) {
    SplitSource source = get(number);
    requireBelow(records.completeGroups(number), source.getCount(), number, what);
    boolean wrong = !source.getGrouped() && !records.completeGroups(number).isEmpty();
    for (long group : records.groups(number)) {
      wrong |= source.getGrouped() == (group == Origins.SPLITS);
      if (group == Origins.SPLITS) {
        requireBelow(records.records(number, group), source.getCount(), number, what);
      } else if (group >= source.getCount()) {
        throw outOfRange(group, source.getCount(), number, what);
      }
    }
    if (wrong) {
      throw StatusException.invalidArgument(
          "%s: the splits of source %d are %s",
          what,
          number,
          source.getGrouped() ? "groups of records" : "records, and no groups of records");
    }
  }

  private static void requireBelow(LongSet splits, long count, long number, String what) {
    long[] ranges = splits.ranges();
    if (ranges.length > 0 && ranges[ranges.length - 1] > count) {
      throw outOfRange(ranges[ranges.length - 1] - 1, count, number, what);
    }
  }

  private static StatusException outOfRange(long split, long count, long number, String what) {
    return StatusException.invalidArgument(
        "%s: source %d has %d splits, and no split %d", what, number, count, split);
  }

  /**
   * Requires all of {@code records} to be of splits in {@code scope}.
   *
   * @throws StatusException INVALID_ARGUMENT otherwise
   */
  public void requireWithin(RecordSet records, SplitSet scope, String what) {
    for (long number : records.sources()) {
      LongSet splits = scope.of(number);
      LongSet outside = records.completeGroups(number).minus(splits);
      for (long group : records.groups(number)) {
        if (group == Origins.SPLITS) {
          outside.addAll(records.records(number, group).minus(splits));
        } else if (!splits.contains(group)) {
          outside.add(group);
        }
      }
      if (!outside.isEmpty()) {
        throw StatusException.invalidArgument(
            "%s: the splits %s of source %d are out of scope", what, outside, number);
      }
    }
  }
}
