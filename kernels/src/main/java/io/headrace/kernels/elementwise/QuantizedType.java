package io.headrace.kernels.elementwise;

import io.headrace.runtime.tensor.DataType;

/**
 * The integers of a quantized dtype.
 *
 * @param dtype the dtype: qint8, quint8, qint16, quint16 or qint32
 * @param lowest the lowest integer
 * @param highest the highest integer
 */
record QuantizedType(DataType dtype, int lowest, int highest) {
  /** The attr T of ops over quantized tensors. */
  static final String ATTR = "T: {qint8, quint8, qint32, qint16, quint16}";

  static QuantizedType of(DataType dtype) {
    int bits = dtype.byteSize() * 8;
    return dtype.isUnsigned()
        ? new QuantizedType(dtype, 0, (1 << bits) - 1)
        : new QuantizedType(
            dtype, Integer.MIN_VALUE >> (32 - bits), Integer.MAX_VALUE >> (32 - bits));
  }

  /** The number of steps from the lowest to the highest integer. */
  double steps() {
    return (double) highest - lowest;
  }

  /** The distance from the lowest integer to 0. */
  float zero() {
    return -(float) lowest;
  }

  /** The lowest integer in the mode SCALED. */
  int lowest(boolean narrowRange) {
    return lowest + (narrowRange ? 1 : 0);
  }
}
