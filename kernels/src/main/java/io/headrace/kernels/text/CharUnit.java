package io.headrace.kernels.text;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusException;

/** The unit in which an op counts positions and lengths in strings: its attr {@code unit}. */
enum CharUnit {
  /** Bytes. */
  BYTE,
  /** Characters of UTF-8: each byte that is no continuation byte counts as one. */
  UTF8_CHAR;

  /** The attr {@code unit}; INVALID_ARGUMENT for any other value. */
  static CharUnit of(Attrs attrs) {
    String unit = attrs.string("unit");
    return switch (unit) {
      case "BYTE" -> BYTE;
      case "UTF8_CHAR" -> UTF8_CHAR;
      default ->
          throw StatusException.invalidArgument(
              "Invalid unit \"%s\": Should be one of: BYTE, UTF8_CHAR", unit);
    };
  }
}
