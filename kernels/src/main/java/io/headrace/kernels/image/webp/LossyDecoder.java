package io.headrace.kernels.image.webp;

/** A decoder of lossy images (VP8 key frames, RFC 6386). Implementations are thread-safe. */
@FunctionalInterface
public interface LossyDecoder {
  /**
   * Decodes the key frame {@code frame}, without its alpha, to {@code out}: rows of {@code width}
   * pixels of red, green and blue, and of 255 if {@code channels} is 4 instead of 3. Returns false
   * if it is damaged; {@code out} has then any content.
   */
  boolean decode(Frame frame, int width, int height, int channels, byte[] out);

  /**
   * Where a key frame is.
   *
   * @param file the bytes, lent for the call
   * @param from where the frame begins
   * @param size the frame's bytes after its chunk's header
   * @param to where the bytes end that a decoder may read; at least the frame's end
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Frame(byte[] file, int from, int size, int to) {}
}
