package io.headrace.runtime.op;

import io.headrace.proto.tensorflow.AttrValue;

/** The kinds of attr values, under the names that op declarations use. */
public enum AttrKind {
  /** Bytes. */
  STRING("string", AttrValue.ValueCase.S),
  /** An int64. */
  INT("int", AttrValue.ValueCase.I),
  /** A float32. */
  FLOAT("float", AttrValue.ValueCase.F),
  /** A bool. */
  BOOL("bool", AttrValue.ValueCase.B),
  /** A dtype. */
  TYPE("type", AttrValue.ValueCase.TYPE),
  /** A shape, which may be partly unknown. */
  SHAPE("shape", AttrValue.ValueCase.SHAPE),
  /** A tensor. */
  TENSOR("tensor", AttrValue.ValueCase.TENSOR),
  /** A function's name and attrs. */
  FUNC("func", AttrValue.ValueCase.FUNC),
  /** A list of values of one of the other kinds. */
  LIST("list", AttrValue.ValueCase.LIST);

  private final String spelling;
  private final AttrValue.ValueCase valueCase;

  AttrKind(String spelling, AttrValue.ValueCase valueCase) {
    this.spelling = spelling;
    this.valueCase = valueCase;
  }

  /** The name in op declarations. */
  public String spelling() {
    return spelling;
  }

  /** The field of AttrValue that holds the value. */
  AttrValue.ValueCase valueCase() {
    return valueCase;
  }

  static AttrKind ofSpelling(String spelling) {
    for (AttrKind kind : values()) {
      if (kind.spelling.equals(spelling)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no attr kind is written " + spelling);
  }
}
