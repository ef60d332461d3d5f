package io.headrace.kernels.example;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits one record of comma-separated values (RFC 4180) into the selected fields. */
final class CsvRecord {
  /**
   * The format of records, and the columns to select.
   *
   * @param delimiter separates fields
   * @param quotes whether fields may be quoted (use_quote_delim)
   * @param columns indices of the selected fields, in increasing order; empty for all (select_cols)
   */
  record Format(byte delimiter, boolean quotes, List<Long> columns) {}

  private final byte[] record;
  private final Format format;
  private final List<byte[]> selected = new ArrayList<>();
  private int at;
  private long fields;

  private CsvRecord(byte[] record, Format format) {
    this.record = record;
    this.format = format;
  }

  /**
   * The selected fields of {@code record}; INVALID_ARGUMENT if it is malformed before the last of
   * them.
   */
  static List<byte[]> split(byte[] record, Format format) {
    CsvRecord splitter = new CsvRecord(record, format);
    splitter.run();
    return splitter.selected;
  }

  private void run() {
    while (at < record.length) {
      if (record[at] == '\n' || record[at] == '\r') {
        at++;
        continue;
      }
      boolean include = isSelected();
      byte[] field = format.quotes() && record[at] == '"' ? quoted() : unquoted();
      fields++;
      if (include) {
        selected.add(field);
        if (selected.size() == format.columns().size()) {
          return;
        }
      }
    }
    boolean endsWithDelimiter =
        record.length > 0 && record[record.length - 1] == format.delimiter();
    if (endsWithDelimiter && isSelected()) {
      selected.add(ByteStrings.EMPTY);
    }
  }

  private boolean isSelected() {
    return format.columns().isEmpty() || format.columns().get(selected.size()) == fields;
  }

  private byte[] unquoted() {
    int from = at;
    while (at < record.length && record[at] != format.delimiter()) {
      boolean quote = format.quotes() && record[at] == '"';
      if (quote || record[at] == '\n' || record[at] == '\r') {
        throw StatusException.invalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
      }
      at++;
    }
    byte[] field = Arrays.copyOfRange(record, from, at);
    at++;
    return field;
  }

  private byte[] quoted() {
    ByteArrayOutputStream field = new ByteArrayOutputStream();
    at++;
    while (at < record.length - 1 && (record[at] != '"' || record[at + 1] != format.delimiter())) {
      if (record[at] != '"') {
        field.write(record[at++]);
      } else if (record[at + 1] == '"') {
        field.write('"');
        at += 2;
      } else {
        throw StatusException.invalidArgument(
            "Quote inside a string has to be escaped by another quote");
      }
    }
    boolean ended =
        at < record.length
            && record[at] == '"'
            && (at == record.length - 1 || record[at + 1] == format.delimiter());
    if (!ended) {
      throw StatusException.invalidArgument(
          "Quoted field has to end with quote followed by delim or end");
    }
    at += 2;
    return field.toByteArray();
  }
}
