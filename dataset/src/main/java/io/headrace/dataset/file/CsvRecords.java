package io.headrace.dataset.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads CSV records (RFC 4180) from a file, as TensorFlow's CSVDataset does: a line feed, a
 * carriage return, or both end a record, and a quoted field may contain them. Used by one thread at
 * a time, except {@link #close}.
 */
public final class CsvRecords implements AutoCloseable {
  /**
   * The syntax of records and the selected fields.
   *
   * @param delimiter the byte between fields
   * @param quotes whether a field may be quoted
   * @param selected the indices of the selected fields; empty selects all but {@code excluded}
   * @param excluded the indices of fields to leave out
   */
  public record Format(byte delimiter, boolean quotes, Set<Long> selected, Set<Long> excluded) {
    /** Copies the sets. */
    public Format {
      selected = Set.copyOf(selected);
      excluded = Set.copyOf(excluded);
    }

    boolean wants(long field) {
      return selected.isEmpty() ? !excluded.contains(field) : selected.contains(field);
    }
  }

  /** The mark that may stand before the first field of a file. */
  public static final String BYTE_ORDER_MARK = "\uFEFF";

  private static final int AT_END = -1;

  private final FileBytes bytes;
  private final Format format;
  private long records;
  private long columns;
  private boolean recordEnded;
  private @Nullable StatusException failure;

  private CsvRecords(FileBytes bytes, Format format) {
    this.bytes = bytes;
    this.format = format;
  }

  /** Opens {@code file}; NOT_FOUND, naming it, if it does not exist. */
  public static CsvRecords open(String file, FileCompression compression, Format format) {
    return new CsvRecords(FileBytes.open(file, compression), format);
  }

  /**
   * The selected names of the header, the first record; a byte order mark is left out.
   * INVALID_ARGUMENT if it cannot be read.
   */
  public List<String> readHeader() {
    try {
      List<byte[]> header = next();
      if (header != null) {
        records = 0;
        return names(header);
      }
    } catch (StatusException e) {
      throw new StatusException(
          e.code(), "Can't read header of file " + bytes.file() + ": " + e.message(), e);
    }
    throw StatusException.invalidArgument(
        "Can't read header of file %s: it is empty", bytes.file());
  }

  private static List<String> names(List<byte[]> header) {
    List<String> names = new ArrayList<>();
    for (byte[] name : header) {
      String text = new String(name, UTF_8);
      names.add(names.isEmpty() && text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text);
    }
    return names;
  }

  /** The file. */
  public String file() {
    return bytes.file();
  }

  /** The number of the record read last, from 1, not counting a header. */
  public long record() {
    return records;
  }

  /** The number of columns of the record, or the header, read last, whether selected or not. */
  public long columns() {
    return columns;
  }

  /** An INVALID_ARGUMENT that names the file, its header and the expected one. */
  public StatusException mismatch(List<String> header, List<String> expected) {
    return StatusException.invalidArgument(
        "%s: its header has the columns %s, and the fields are %s: %s",
        bytes.file(),
        String.join(", ", header),
        String.join(", ", expected),
        header.size() == expected.size()
            ? "name the fields after the columns, in their order, or skip the header unread"
                + " (skippingHeader)"
            : header.size() < expected.size()
                ? "leave out the fields that have no column" + ofColumns()
                : "to read some of the columns, give each field the index of its own with"
                    + " Field.at(int)"
                    + indices(header, expected));
  }

  private String ofColumns() {
    return format.selected().isEmpty()
        ? ""
        : "; they are at %s, counted from 0, of %d columns"
            .formatted(
                format.selected().stream()
                    .sorted()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ")),
                columns);
  }

  /** The columns of the fields, if all are in the header; otherwise empty. */
  private static String indices(List<String> header, List<String> expected) {
    return header.containsAll(expected)
        ? expected.stream()
            .map(name -> name + " at(" + header.indexOf(name) + ")")
            .collect(Collectors.joining(", ", ": ", ""))
        : "";
  }

  /**
   * The selected fields of the next record, unquoted; null at the end of the file.
   * INVALID_ARGUMENT, naming file and record, if it is malformed; the next call reads the record
   * after it.
   */
  public @Nullable List<byte[]> next() {
    if (peek(0) == AT_END) {
      return null;
    }
    records++;
    failure = null;
    recordEnded = false;
    List<byte[]> wanted = new ArrayList<>();
    columns = 0;
    for (long field = 0; !recordEnded; field++) {
      columns++;
      byte[] value = format.quotes() && peek(0) == '"' ? quoted() : unquoted();
      if (format.wants(field)) {
        wanted.add(value);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return wanted;
  }

  /** Whether the next record starts in the buffer. */
  public boolean hasBuffered() {
    return bytes.buffered() > 0;
  }

  /** An INVALID_ARGUMENT that names the file and the record read last. */
  public StatusException invalid(String what) {
    return StatusException.invalidArgument("%s, record %d: %s", bytes.file(), records, what);
  }

  /** A record's first failure is thrown once its end is found. */
  private void fail(String what) {
    failure = failure == null ? invalid(what) : failure;
  }

  /** The byte at {@code ahead} behind the position, or {@link #AT_END}. */
  private int peek(int ahead) {
    while (bytes.buffered() <= ahead) {
      if (ahead >= TensorLimit.maxBytes()) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "%s, record %d: a field passes the bound of %d bytes",
            bytes.file(),
            records,
            TensorLimit.maxBytes());
      }
      if (!bytes.fill()) {
        return AT_END;
      }
    }
    return bytes.block()[bytes.position() + ahead] & 0xff;
  }

  private byte[] unquoted() {
    int length = 0;
    int end = peek(0);
    while (end != AT_END && end != (format.delimiter() & 0xff) && end != '\n' && end != '\r') {
      if (end == '"' && format.quotes()) {
        fail("Unquoted fields cannot have quotes inside");
      }
      end = peek(++length);
    }
    int from = bytes.position();
    byte[] field = Arrays.copyOfRange(bytes.block(), from, from + length);
    bytes.advance(length);
    endField(end);
    return field;
  }

  /** Consumes the end of a field, and records whether it ends the record. */
  private void endField(int end) {
    recordEnded = end != (format.delimiter() & 0xff);
    if (end != AT_END) {
      bytes.advance(1);
    }
    if (end == '\r' && format.delimiter() != '\r' && peek(0) == '\n') {
      bytes.advance(1);
    }
  }

  private byte[] quoted() {
    ByteArrayOutputStream field = new ByteArrayOutputStream();
    bytes.advance(1);
    while (true) {
      int length = 0;
      int found = peek(0);
      while (found != '"' && found != AT_END) {
        found = peek(++length);
      }
      field.write(bytes.block(), bytes.position(), length);
      bytes.advance(length);
      if (found == AT_END) {
        fail("Reached end of file without closing quoted field in record");
        recordEnded = true;
        return field.toByteArray();
      }
      int next = peek(1);
      bytes.advance(1);
      if (next == AT_END || next == (format.delimiter() & 0xff) || next == '\n' || next == '\r') {
        endField(next);
        return field.toByteArray();
      }
      if (next != '"') {
        fail("Quote inside a string has to be escaped by another quote");
      }
      field.write(next);
      bytes.advance(1);
    }
  }

  @Override
  public void close() {
    bytes.close();
  }
}
