package io.headrace.kernels.image.jpeg;

/** The blocks of an MCU: where in which array the 64 coefficients of each are. */
final class Mcu {
  final short[][] arrays;
  final int[] offsets;

  Mcu(int blocks) {
    arrays = new short[blocks][];
    offsets = new int[blocks];
  }

  void set(int block, short[] array, int offset) {
    arrays[block] = array;
    offsets[block] = offset;
  }
}
