package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorValueText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A row in the message of an error: its record and file if they are known, and its values if they
 * are few and short, such as the name of an image's file.
 */
final class RowDescription {
  private static final int MAX_COMPONENTS = 4;
  private static final int MAX_TEXT_BYTES = 512;

  private RowDescription() {}

  /** The description of row {@code row}; empty if it would be long. */
  static Optional<String> of(Chunk rows, int row) {
    Optional<String> place = rows.places().describe(row);
    Optional<String> values = ofValues(rows.columns(), row);
    return place.isPresent() && values.isPresent()
        ? Optional.of(place.get() + ": " + values.get())
        : place.or(() -> values);
  }

  private static Optional<String> ofValues(List<Column> columns, int row) {
    if (columns.isEmpty() || columns.size() > MAX_COMPONENTS) {
      return Optional.empty();
    }
    List<String> values = new ArrayList<>();
    for (Column column : columns) {
      Optional<String> value = ofValue(column.row(row));
      if (value.isEmpty()) {
        return value;
      }
      values.add(value.get());
    }
    String text = String.join(", ", values);
    return Optional.of(columns.size() == 1 ? text : "(" + text + ")");
  }

  private static Optional<String> ofValue(Tensor value) {
    if (value.shape().rank() != 0) {
      return Optional.empty();
    }
    return switch (value.dtype()) {
      case DataType.STRING -> ofText(value.string(0));
      case DataType.VARIANT, DataType.RESOURCE -> Optional.empty();
      default -> Optional.of(TensorValueText.text(value, 0));
    };
  }

  private static Optional<String> ofText(byte[] bytes) {
    if (bytes.length > MAX_TEXT_BYTES) {
      return Optional.empty();
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      boolean isPrintable = text.codePoints().noneMatch(Character::isISOControl);
      return isPrintable ? Optional.of('"' + text + '"') : Optional.empty();
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }
}
