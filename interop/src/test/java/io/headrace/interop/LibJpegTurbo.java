package io.headrace.interop;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;

/** Whether this machine has the JPEG library with which decoding matches TensorFlow bit for bit. */
final class LibJpegTurbo {
  private static final boolean FOUND = find();

  private LibJpegTurbo() {}

  static boolean isFound() {
    return FOUND;
  }

  @SuppressWarnings({"restricted", "SystemOut"})
  private static boolean find() {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup("libturbojpeg.so.0", arena);
      IO.println("JPEG: libturbojpeg is found, so every decoded image must be equal");
      return true;
    } catch (IllegalArgumentException _) {
      IO.println("JPEG: no libturbojpeg, so images are equal by INTEGER_ACCURATE, else within 20");
      return false;
    }
  }
}
