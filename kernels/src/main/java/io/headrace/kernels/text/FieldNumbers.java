package io.headrace.kernels.text;

import io.headrace.runtime.tensor.DataType;

/** Numbers in fields of text, read as DecodeCSV and StringToNumber read them. */
public final class FieldNumbers {
  private FieldNumbers() {}

  /**
   * Sets element {@code at} of {@code array}, an array of {@code dtype} (float, double, int32 or
   * int64), from {@code text}; false if it is no number of {@code dtype}.
   */
  public static boolean parse(byte[] text, DataType dtype, Object array, int at) {
    return StringToNumberOps.parse(text, dtype, array, at);
  }
}
