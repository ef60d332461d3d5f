package io.headrace.gpu.ptx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The modules that NVIDIA's compiler made of the files of {@code src/main/cuda}. */
public enum PtxResource {
  /** Math functions, which kernels call. */
  MATH("math.ptx"),
  /** Kernels that move elements. */
  MOVES("moves.ptx"),
  /** Reductions. */
  REDUCTIONS("reductions.ptx"),
  /** Softmax. */
  SOFTMAX("softmax.ptx"),
  /** Products of matrices. */
  MATMUL("matmul.ptx"),
  /** Resizing of images. */
  RESIZE("resize.ptx"),
  /** Batches of images as normalized floats. */
  IMAGES("images.ptx"),
  /** Random numbers. */
  RANDOM("random.ptx");

  private final String text;

  PtxResource(String name) {
    try (InputStream in = PtxResource.class.getResourceAsStream(name)) {
      text = new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of the module. */
  public String text() {
    return text;
  }
}
