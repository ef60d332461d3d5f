package io.headrace.fakecuda.ptx;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A fundamental type (PTX ISA, Types). */
public enum PtxType {
  /** A predicate: one bit, in registers only. */
  PRED(Kind.PREDICATE, 1),
  /** 8 bits of no type. */
  B8(Kind.BITS, 1),
  /** 16 bits of no type. */
  B16(Kind.BITS, 2),
  /** 32 bits of no type. */
  B32(Kind.BITS, 4),
  /** 64 bits of no type. */
  B64(Kind.BITS, 8),
  /** An unsigned integer of 8 bits. */
  U8(Kind.UNSIGNED, 1),
  /** An unsigned integer of 16 bits. */
  U16(Kind.UNSIGNED, 2),
  /** An unsigned integer of 32 bits. */
  U32(Kind.UNSIGNED, 4),
  /** An unsigned integer of 64 bits. */
  U64(Kind.UNSIGNED, 8),
  /** A signed integer of 8 bits. */
  S8(Kind.SIGNED, 1),
  /** A signed integer of 16 bits. */
  S16(Kind.SIGNED, 2),
  /** A signed integer of 32 bits. */
  S32(Kind.SIGNED, 4),
  /** A signed integer of 64 bits. */
  S64(Kind.SIGNED, 8),
  /** A half. */
  F16(Kind.FLOAT, 2),
  /** A float. */
  F32(Kind.FLOAT, 4),
  /** A double. */
  F64(Kind.FLOAT, 8);

  /** How the bits of a type are read. */
  public enum Kind {
    /** True or false. */
    PREDICATE,
    /** Not at all. */
    BITS,
    /** As an unsigned integer. */
    UNSIGNED,
    /** As a two's complement integer. */
    SIGNED,
    /** As an IEEE 754 number. */
    FLOAT
  }

  private static final Map<String, PtxType> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(PtxType::text, Function.identity()));

  private final Kind kind;
  private final int bytes;

  PtxType(Kind kind, int bytes) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** The type of a name without its dot: s32. */
  public static Optional<PtxType> of(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** The name without its dot. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** How its bits are read. */
  public Kind kind() {
    return kind;
  }

  /** The size in memory. */
  public int bytes() {
    return bytes;
  }

  /** The width of a value. */
  public int bits() {
    return kind == Kind.PREDICATE ? 1 : bytes * 8;
  }

  /** Whether it is f16, f32 or f64. */
  public boolean isFloat() {
    return kind == Kind.FLOAT;
  }

  /** Whether it is a signed integer. */
  public boolean isSigned() {
    return kind == Kind.SIGNED;
  }

  /** Whether it is an integer with or without sign. */
  public boolean isInteger() {
    return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
  }

  /** Whether it is bits of no type. */
  public boolean isBits() {
    return kind == Kind.BITS;
  }

  /**
   * Whether an operand of this type may be a register of type {@code register} of the same width
   * (PTX ISA, Type Checking Rules): bits go with all, integers with integers.
   */
  public boolean agreesWith(PtxType register) {
    if (bits() != register.bits()) {
      return false;
    }
    return kind == register.kind
        || isBits()
        || register.isBits()
        || (isInteger() && register.isInteger());
  }

  /** {@code value} cut to this type's width, and extended as its kind says. */
  public long extend(long value) {
    if (bytes == 8 && kind != Kind.PREDICATE) {
      return value;
    }
    int unused = 64 - bits();
    return isSigned() ? value << unused >> unused : value << unused >>> unused;
  }
}
