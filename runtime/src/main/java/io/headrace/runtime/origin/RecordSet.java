package io.headrace.runtime.origin;

import io.headrace.proto.headrace.GroupRecords;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.SourceRecords;
import io.headrace.runtime.status.StatusException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of records, identified by source and group as in {@link Origins}, with the sizes of groups
 * where known. A group is complete when the set contains all its records; complete groups take no
 * space of their own. Not thread-safe.
 */
public final class RecordSet {
  private static final LongSet NO_RECORDS = new LongSet();

  private final TreeMap<Long, Source> sources = new TreeMap<>();

  private static final class Source {
    private final LongSet complete = new LongSet();
    private final TreeMap<Long, Group> groups = new TreeMap<>();
    private @Nullable Group last;
    private long lastNumber;

    Group group(long number) {
      Group found = last;
      if (found == null || lastNumber != number) {
        found = groups.computeIfAbsent(number, _ -> new Group());
        last = found;
        lastNumber = number;
      }
      return found;
    }

    void foldIfComplete(long number, Group group) {
      if (group.total >= 0 && group.records.size() >= group.total) {
        groups.remove(number);
        last = null;
        complete.add(number);
      }
    }
  }

  private static final class Group {
    private final LongSet records = new LongSet();
    private long total = -1;
  }

  /** Whether the set is empty. */
  public boolean isEmpty() {
    return sources.isEmpty();
  }

  /** Adds every record and every group end of {@code origins}. */
  public void add(Origins origins) {
    for (int i = 0; i < origins.size(); i++) {
      if (origins.isGroupEnd(i)) {
        end(origins.source(i), origins.group(i), origins.record(i));
      } else if (origins.count(i) > 0) {
        add(origins.source(i), origins.group(i), origins.record(i), origins.count(i));
      }
    }
  }

  /** Adds {@code count} records of a group, starting at {@code first}. */
  public void add(long source, long group, long first, long count) {
    Source of = source(source);
    if (group >= 0 && of.complete.contains(group)) {
      return;
    }
    Group records = of.group(group);
    records.records.addRange(first, first + count);
    of.foldIfComplete(group, records);
  }

  /** Sets the size of a group to {@code records}. */
  public void end(long source, long group, long records) {
    Source of = source(source);
    if (!of.complete.contains(group)) {
      Group ended = of.group(group);
      ended.total = records;
      of.foldIfComplete(group, ended);
    }
  }

  /** Marks the groups {@code from} up to {@code to} as complete. */
  public void completeGroups(long source, long from, long to) {
    Source of = source(source);
    of.complete.addRange(from, to);
    of.groups.subMap(from, to).clear();
    of.last = null;
  }

  private Source source(long number) {
    return sources.computeIfAbsent(number, _ -> new Source());
  }

  /** Adds all of {@code other}. */
  public void addAll(RecordSet other) {
    other.sources.forEach((source, of) -> {
      of.complete.forEachRange((from, to) -> completeGroups(source, from, to));
      of.groups.forEach((number, group) -> {
        group.records.forEachRange((from, to) -> add(source, number, from, to - from));
        if (group.total >= 0) {
          end(source, number, group.total);
        }
      });
    });
  }

  /** The sources of the set's records, in order. */
  public Set<Long> sources() {
    return Set.copyOf(sources.keySet());
  }

  /** The complete groups of {@code source}; must not be modified. */
  public LongSet completeGroups(long source) {
    Source of = sources.get(source);
    return of == null ? NO_RECORDS : of.complete;
  }

  /** The records of an incomplete group, or of {@link Origins#SPLITS}; must not be modified. */
  public LongSet records(long source, long group) {
    Source of = sources.get(source);
    Group found = of == null ? null : of.groups.get(group);
    return found == null ? NO_RECORDS : found.records;
  }

  /** Whether the group's size is known and the set contains all its records. */
  public boolean isComplete(long source, long group) {
    return completeGroups(source).contains(group);
  }

  /** Whether adding {@code other} would change nothing. */
  public boolean containsAll(RecordSet other) {
    return other.sources.entrySet().stream()
        .allMatch(entry -> containsAll(entry.getKey(), entry.getValue()));
  }

  private boolean containsAll(long source, Source other) {
    return other.complete.minus(completeGroups(source)).isEmpty()
        && other.groups.entrySet().stream()
            .allMatch(entry ->
                isComplete(source, entry.getKey())
                    || containsAll(source, entry.getKey(), entry.getValue()));
  }

  private boolean containsAll(long source, long number, Group other) {
    Source of = sources.get(source);
    Group group = of == null ? null : of.groups.get(number);
    return group != null
        && other.records.minus(group.records).isEmpty()
        && (other.total < 0 || other.total == group.total);
  }

  /** The number of records in incomplete groups plus the number of complete groups. */
  public long size() {
    long total = 0;
    for (Source source : sources.values()) {
      total += source.complete.size();
      for (Group group : source.groups.values()) {
        total += group.records.size();
      }
    }
    return total;
  }

  /**
   * The subset within the splits of {@code scope}: per source, the records that are those splits,
   * and the groups of those splits.
   *
   * @param scope for each source, the numbers of splits
   */
  public RecordSet within(Map<Long, LongSet> scope) {
    RecordSet result = new RecordSet();
    scope.forEach((source, splits) -> {
      Source of = sources.get(source);
      if (of == null) {
        return;
      }
      of.complete.and(splits).forEachRange((a, b) -> result.completeGroups(source, a, b));
      of.groups.forEach((number, group) -> {
        LongSet kept =
            number != Origins.SPLITS
                ? splits.contains(number) ? group.records : NO_RECORDS
                : group.records.and(splits);
        kept.forEachRange((a, b) -> result.add(source, number, a, b - a));
        if (group.total >= 0 && number != Origins.SPLITS && splits.contains(number)) {
          result.end(source, number, group.total);
        }
      });
    });
    return result;
  }

  /** The protocol message of the set. */
  public RecordSetProto toProto() {
    RecordSetProto.Builder result = RecordSetProto.newBuilder();
    sources.forEach((number, source) -> {
      SourceRecords.Builder of = SourceRecords.newBuilder().setSource(number);
      of.addAllCompleteGroups(RangeEncoding.write(source.complete));
      source.groups.forEach((group, records) -> of.addGroups(write(group, records)));
      result.addSources(of);
    });
    return result.build();
  }

  private static GroupRecords write(long number, Group group) {
    GroupRecords.Builder records =
        GroupRecords.newBuilder().setGroup(number).addAllRanges(RangeEncoding.write(group.records));
    if (group.total >= 0) {
      records.setRecords(group.total);
    }
    return records.build();
  }

  /**
   * Reads a set from {@code message}.
   *
   * @throws StatusException INVALID_ARGUMENT for ranges that overlap or are out of bounds, and for
   *     duplicate sources or groups
   */
  public static RecordSet of(RecordSetProto message) {
    RecordSet result = new RecordSet();
    Set<Long> named = new HashSet<>();
    for (SourceRecords source : message.getSourcesList()) {
      long number = source.getSource();
      if (number < 0) {
        throw StatusException.invalidArgument("a set of records has the source %d", number);
      }
      if (!named.add(number)) {
        throw StatusException.invalidArgument("a set of records has source %d twice", number);
      }
      RangeEncoding.read(
          source.getCompleteGroupsList(), (from, to) -> result.completeGroups(number, from, to));
      Set<Long> groups = new HashSet<>();
      for (GroupRecords group : source.getGroupsList()) {
        boolean complete = group.getGroup() >= 0 && result.isComplete(number, group.getGroup());
        if (complete || !groups.add(group.getGroup())) {
          throw StatusException.invalidArgument(
              "a set of records has group %d of source %d twice", group.getGroup(), number);
        }
        read(number, group, result);
      }
    }
    return result;
  }

  private static void read(long source, GroupRecords group, RecordSet result) {
    long number = group.getGroup();
    if (number < Origins.SPLITS || (number == Origins.SPLITS && group.hasRecords())) {
      throw StatusException.invalidArgument("a set of records has the group %d", number);
    }
    LongSet records = RangeEncoding.read(group.getRangesList());
    if (group.hasRecords()) {
      long[] ranges = records.ranges();
      if (group.getRecords() < 0
          || (ranges.length > 0 && ranges[ranges.length - 1] > group.getRecords())) {
        throw StatusException.invalidArgument(
            "group %d of source %d has %d records, and a set of records has %s of it",
            number, source, group.getRecords(), records);
      }
      result.end(source, number, group.getRecords());
    }
    records.forEachRange((from, to) -> result.add(source, number, from, to - from));
  }

  /** A copy. */
  public RecordSet copy() {
    RecordSet copy = new RecordSet();
    copy.addAll(this);
    return copy;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordSet set && toProto().equals(set.toProto());
  }

  @Override
  public int hashCode() {
    return toProto().hashCode();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    sources.forEach((number, source) -> {
      text.append("source ").append(number).append(": complete ").append(source.complete);
      source.groups.forEach((group, records) -> {
        text.append(", group ").append(group).append(": ").append(records.records);
        if (records.total >= 0) {
          text.append(" of ").append(records.total);
        }
      });
      text.append("; ");
    });
    return text.append('}').toString();
  }

  /** The incomplete groups of {@code source}, in order. */
  public List<Long> groups(long source) {
    Source of = sources.get(source);
    return of == null ? List.of() : List.copyOf(of.groups.keySet());
  }
}
