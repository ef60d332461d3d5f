package io.headrace.gpu.ptx;

/** Writes the reports of elements that fail. */
final class ElementErrorWriter {
  private final PtxCode code;
  private final Register word;
  private final Register element;

  /**
   * A writer of reports.
   *
   * @param word the address of the error word
   * @param element the element that is computed
   */
  ElementErrorWriter(PtxCode code, Register word, Register element) {
    this.code = code;
    this.word = word;
    this.element = element;
  }

  /** Writes a report of {@code error} where {@code predicate} holds. */
  void report(Register predicate, ElementError error) {
    Register value = code.compute(RegisterClass.LONG, "cvt.u64.u32", element);
    code.emit("shl.b64", value, value, 8);
    code.emit("or.b64", value, value, error.code());
    code.emitIf(predicate, "red.global.min.u64", "[" + word + "]", value);
  }
}
