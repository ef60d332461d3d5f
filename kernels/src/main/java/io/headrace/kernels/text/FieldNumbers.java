package io.headrace.kernels.text;

import io.headrace.runtime.tensor.DataType;

/** Numbers in text fields, parsed as DecodeCSV and StringToNumber parse them. */
public final class FieldNumbers {
  private FieldNumbers() {}

  /**
   * Parses {@code text} into element {@code at} of {@code array}, an array of {@code dtype} (float,
   * double, int32 or int64); false if it is not a number of {@code dtype}.
   */
  public static boolean parse(byte[] text, DataType dtype, Object array, int at) {
    return StringToNumberOps.parse(text, dtype, array, at);
  }
}
