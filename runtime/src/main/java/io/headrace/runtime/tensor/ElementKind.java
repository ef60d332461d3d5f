package io.headrace.runtime.tensor;

import java.lang.reflect.Array;

/** The kinds of Java arrays that hold elements, independent of the dtype's interpretation. */
public enum ElementKind {
  /**
   * {@code byte[]}: int8, uint8, bool (0 or 1), quantized 8-bit types, float8, and smaller types.
   */
  BYTE(byte.class, 1, 1),
  /** {@code short[]}: int16, uint16, and the bits of half and bfloat16. */
  SHORT(short.class, 2, 1),
  /** {@code int[]}: int32, uint32, qint32. */
  INT(int.class, 4, 1),
  /** {@code long[]}: int64, uint64. */
  LONG(long.class, 8, 1),
  /** {@code float[]}: float32. */
  FLOAT(float.class, 4, 1),
  /** {@code double[]}: float64. */
  DOUBLE(double.class, 8, 1),
  /** {@code float[]}, two an element (real, imaginary): complex64. */
  FLOAT_PAIR(float.class, 4, 2),
  /** {@code double[]}, two an element (real, imaginary): complex128. */
  DOUBLE_PAIR(double.class, 8, 2),
  /** {@code byte[][]}: string, an array each. */
  BYTES(byte[].class, 0, 1),
  /** {@code Object[]}: resource and variant. */
  REFERENCE(Object.class, 0, 1);

  private final Class<?> slotType;
  private final int slotBytes;
  private final int slots;

  ElementKind(Class<?> slotType, int slotBytes, int slots) {
    this.slotType = slotType;
    this.slotBytes = slotBytes;
    this.slots = slots;
  }

  /** Array slots an element takes: 2 for complex types, otherwise 1. */
  public int slots() {
    return slots;
  }

  /**
   * The size of an element in bytes; 0 for kinds of variable size (strings, resources, variants).
   */
  public int elementBytes() {
    return slotBytes * slots;
  }

  /** Whether elements are plain memory of one size. */
  public boolean isFixedWidth() {
    return slotBytes > 0;
  }

  /** The type of one slot of the array. */
  public Class<?> slotType() {
    return slotType;
  }

  /** A new array for {@code elements} elements: zeros, or nulls. */
  public Object newArray(int elements) {
    return Array.newInstance(slotType, Math.multiplyExact(elements, slots));
  }

  /** Whether {@code array} is one of this kind. */
  boolean isArray(Object array) {
    return slotType.equals(array.getClass().getComponentType());
  }

  /** The number of elements for which {@code array} has room. */
  public int capacity(Object array) {
    return Array.getLength(array) / slots;
  }

  /** Copies {@code elements} elements between arrays of this kind. Offsets count elements. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of slotType
  public void copy(Object from, int fromElement, Object to, int toElement, int elements) {
    System.arraycopy(from, fromElement * slots, to, toElement * slots, elements * slots);
  }
}
