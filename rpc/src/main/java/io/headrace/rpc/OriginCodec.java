package io.headrace.rpc;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.function.LongConsumer;

/** The wire encoding of {@link Origins}: five numbers for each entry, mostly delta-encoded. */
final class OriginCodec {
  private static final int WIDTH = 5;

  private OriginCodec() {}

  /** Encodes {@code origins} to {@code out}. */
  static void write(Origins origins, LongConsumer out) {
    long source = 0;
    long group = 0;
    long next = 0;
    for (int i = 0; i < origins.size(); i++) {
      out.accept(origins.rows(i));
      out.accept(origins.source(i) - source);
      out.accept(origins.group(i) - group);
      out.accept(origins.record(i) - next);
      out.accept(origins.count(i));
      source = origins.source(i);
      group = origins.group(i);
      next = origins.record(i) + origins.count(i);
    }
  }

  /**
   * Decodes the origins of {@code rows} rows.
   *
   * @throws StatusException INVALID_ARGUMENT if they are malformed or cover another number of rows
   */
  static Origins read(List<Long> code, int rows) {
    if (code.size() % WIDTH != 0) {
      throw StatusException.invalidArgument("origins of %d numbers", code.size());
    }
    Origins.Builder origins = new Origins.Builder();
    long source = 0;
    long group = 0;
    long next = 0;
    long total = 0;
    for (int i = 0; i < code.size(); i += WIDTH) {
      source += code.get(i + 1);
      group += code.get(i + 2);
      long record = next + code.get(i + 3);
      long count = code.get(i + 4);
      next = record + count;
      total += code.get(i);
      boolean valid = source >= 0 && group >= Origins.SPLITS && record >= 0 && count >= 0;
      if (!valid || total > rows || !add(origins, code.get(i), source, group, record, count)) {
        throw StatusException.invalidArgument(
            "%d rows of %d records from %d on, of group %d of source %d, can't be",
            code.get(i), count, record, group, source);
      }
    }
    if (total != rows && !code.isEmpty()) {
      throw StatusException.invalidArgument("origins of %d rows in a frame of %d", total, rows);
    }
    return origins.build();
  }

  private static boolean add(
      Origins.Builder origins, long rows, long source, long group, long record, long count) {
    if (rows == 0) {
      if (count == 0) {
        origins.addGroupEnd(source, group, record);
      } else {
        origins.addParts(source, group, record, count);
      }
      return true;
    }
    if (rows == count && rows > 0) {
      origins.addRecords((int) rows, source, group, record);
      return true;
    }
    if (rows == 1) {
      origins.addParts(source, group, record, count).endRow();
      return true;
    }
    return false;
  }
}
