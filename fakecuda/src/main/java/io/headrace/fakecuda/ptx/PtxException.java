package io.headrace.fakecuda.ptx;

/** PTX that is wrong, or that the interpreter does not know; the message begins with the line. */
public final class PtxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Refuses the text at {@code line}, counted from 1. */
  public PtxException(int line, String message) {
    super("line " + line + ": " + message);
  }
}
