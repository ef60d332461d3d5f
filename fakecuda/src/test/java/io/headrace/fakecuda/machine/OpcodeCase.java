package io.headrace.fakecuda.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A case of opcodes.txt: an instruction, or some, on inputs, and the result. */
record OpcodeCase(String anchor, String instructions, List<String> inputs, String result) {
  /** The case of a line below the heading {@code anchor}. */
  static OpcodeCase parse(String anchor, String line) {
    String[] parts = line.split("\\|", -1);
    return new OpcodeCase(
        anchor, parts[0].strip(), List.of(parts[1].strip().split(", ")), parts[2].strip());
  }

  /** The name behind the last hyphen of the anchor. */
  String opcode() {
    return anchor.substring(anchor.lastIndexOf('-') + 1);
  }

  /** The bits of a value in its notation. */
  static long bits(String value) {
    String[] parts = value.split(" ", -1);
    String number = parts[1];
    return switch (parts[0]) {
      case "f32" -> Float.floatToIntBits(Float.parseFloat(number)) & 0xffffffffL;
      case "f64" -> Double.doubleToLongBits(Double.parseDouble(number));
      case "i16", "f16", "i32", "i64", "p" -> integer(number) & mask(width(value));
      default -> throw new AssertionError(value);
    };
  }

  private static long integer(String number) {
    if (number.toLowerCase(Locale.ROOT).startsWith("0x")) {
      return Long.parseUnsignedLong(number.substring(2), 16);
    }
    return number.startsWith("-") ? Long.parseLong(number) : Long.parseUnsignedLong(number);
  }

  private static int width(String value) {
    return value.startsWith("p") ? 32 : Integer.parseInt(value.substring(1, 3));
  }

  private static long mask(int width) {
    return width == 64 ? -1 : (1L << width) - 1;
  }

  /** Runs the instructions and returns the bits of %d. */
  long run() {
    TestDevice device = new TestDevice(kernel("k"));
    long out = device.allocate(8);
    List<Object> arguments = new ArrayList<>(List.of(out));
    for (String input : inputs) {
      long bits = bits(input);
      switch (width(input)) {
        case 64 -> arguments.add(bits);
        case 32 -> arguments.add((int) bits);
        default -> arguments.add((short) bits);
      }
    }
    device.launch(1, arguments.toArray());
    byte[] bytes = device.bytes(out, width(result) / 8);
    return IntStream.range(0, bytes.length)
        .mapToLong(i -> (bytes[i] & 0xffL) << (8 * i))
        .reduce(0, (a, b) -> a | b);
  }

  /** A kernel that runs the instructions on its parameters, and stores %d. */
  @SuppressWarnings("OrphanedFormatString") // registers of PTX
  String kernel(String name) {
    StringBuilder parameters = new StringBuilder(".param .u64 out");
    StringBuilder body =
        new StringBuilder(".reg .b64 %out; ld.param.u64 %out, [out]; .reg .b32 %x;\n");
    for (int i = 0; i < inputs.size(); i++) {
      declare(parameters, body, (char) ('a' + i), inputs.get(i));
    }
    int width = width(result);
    if (result.startsWith("p ")) {
      body.append(".reg .pred %d; .reg .b32 %r; ")
          .append(instructions)
          .append("; selp.b32 %r, 1, 0, %d; st.global.b32 [%out], %r;\n");
    } else {
      body.append(".reg .b" + width + " %d; ")
          .append(instructions)
          .append("; st.global.b" + width + " [%out], %d;\n");
    }
    return ".visible .entry " + name + "(" + parameters + ") {\n" + body + "ret;\n}\n";
  }

  @SuppressWarnings("OrphanedFormatString") // registers of PTX
  private static void declare(
      StringBuilder parameters, StringBuilder body, char name, String value) {
    int width = width(value);
    parameters.append(", .param .b" + width + " " + name);
    String register = value.startsWith("p") ? "%r" + name : "%" + name;
    body.append(
        ".reg .b%d %s; ld.param.b%d %s, [%s];\n".formatted(width, register, width, register, name));
    if (value.startsWith("p")) {
      body.append(".reg .pred %%%s; setp.ne.b32 %%%s, %s, 0;\n".formatted(name, name, register));
    }
  }

  @Override
  public String toString() {
    return instructions + " of " + String.join(", ", inputs);
  }
}
