package io.headrace.gpu.ptx;

/** A PTX register, written as its name. */
record Register(RegisterClass type, int number) {
  @Override
  public String toString() {
    return type.prefix() + number;
  }
}
