package io.headrace.kernels.image.webp;

import java.util.ArrayList;
import java.util.List;

/** Finds the frames of an animation, and refuses the files that libwebp's demuxer does. */
final class AnimationReader {
  private static final int RIFF_HEADER = 12;
  private static final int CANVAS_BYTES = 10;
  private static final int ANIM_BYTES = 6;
  private static final int FRAME_HEADER = 16;
  private static final int ANIMATION = 2;
  private static final int KNOWN_FLAGS = 0x3e;

  private final WebpBytes in;
  private final List<AnimationFrame> frames = new ArrayList<>();
  private int width;
  private int height;
  private boolean hasAnim;

  private AnimationReader(WebpBytes in) {
    this.in = in;
  }

  /**
   * The frames and the canvas.
   *
   * @param width of the canvas, in pixels
   * @param height of the canvas, in pixels
   * @param frames in their order; at least one
   */
  record Animation(int width, int height, List<AnimationFrame> frames) {}

  static Animation read(byte[] file) throws WebpException {
    WebpBytes container = new WebpBytes(file, 0, file.length);
    long end = WebpBytes.CHUNK_HEADER + container.chunkSize();
    if (end > file.length) {
      throw new WebpException("it is cut off");
    }
    AnimationReader reader = new AnimationReader(new WebpBytes(file, RIFF_HEADER, (int) end));
    reader.readCanvas();
    reader.readChunks();
    if (reader.frames.isEmpty()) {
      throw new WebpException("it has no frames");
    }
    return new Animation(reader.width, reader.height, reader.frames);
  }

  private static WebpException misplaced(String what) {
    return new WebpException(what + " is in a wrong place");
  }

  /** Checks that a chunk's header, and {@code bytes} after it, are there. */
  private void checkLeft(long bytes) throws WebpException {
    if (in.left() < bytes) {
      throw new WebpException("a chunk passes the end of the file");
    }
  }

  /** Goes past a chunk's header, and returns how many bytes the rest takes. */
  private int enterChunk() throws WebpException {
    checkLeft(WebpBytes.CHUNK_HEADER);
    long bytes = WebpBytes.padded(in.chunkSize());
    in.skip(WebpBytes.CHUNK_HEADER);
    checkLeft(bytes);
    return (int) bytes;
  }

  private void readCanvas() throws WebpException {
    checkLeft(WebpBytes.CHUNK_HEADER);
    if (!in.hasTag(0, "VP8X")) {
      throw new WebpException("it has no canvas");
    }
    int bytes = enterChunk();
    if (bytes < CANVAS_BYTES) {
      throw new WebpException("its canvas is cut off");
    }
    int flags = in.u8(0);
    width = 1 + in.u24(4);
    height = 1 + in.u24(7);
    boolean isTooLarge = (long) width * height >= 1L << 32;
    if ((flags & ~KNOWN_FLAGS) != 0 || (flags & ANIMATION) == 0 || isTooLarge) {
      throw new WebpException("its canvas is of an unknown kind");
    }
    in.skip(bytes);
  }

  private void readChunks() throws WebpException {
    do {
      checkLeft(WebpBytes.CHUNK_HEADER);
      if (in.hasTag(0, "VP8X")
          || in.hasTag(0, "ALPH")
          || in.hasTag(0, "VP8 ")
          || in.hasTag(0, "VP8L")) {
        throw misplaced("a chunk of a still image");
      }
      boolean isAnim = in.hasTag(0, "ANIM");
      boolean isFrame = in.hasTag(0, "ANMF");
      int bytes = enterChunk();
      if (isFrame) {
        readFrame(bytes);
      } else {
        if (isAnim && bytes < ANIM_BYTES) {
          throw new WebpException("its settings are cut off");
        }
        hasAnim |= isAnim;
        in.skip(bytes);
      }
    } while (in.left() > 0);
  }

  /**
   * Reads a frame, whose chunk has {@code bytes}. Chunks after its image are read as those of the
   * file.
   */
  private void readFrame(int bytes) throws WebpException {
    if (!hasAnim) {
      throw misplaced("a frame");
    }
    if (bytes < FRAME_HEADER) {
      throw new WebpException("a frame is cut off");
    }
    int x = 2 * in.u24(0);
    int y = 2 * in.u24(3);
    long area = (1L + in.u24(6)) * (1L + in.u24(9));
    int flags = in.u8(15);
    in.skip(FRAME_HEADER);
    if (area >= 1L << 32) {
      throw new WebpException("a frame is too large");
    }
    int end = in.at() + bytes - FRAME_HEADER;
    checkLeft(WebpBytes.CHUNK_HEADER);
    int from = -1;
    boolean hasAlphaChunk = false;
    while (in.left() >= WebpBytes.CHUNK_HEADER) {
      boolean isLossless = in.hasTag(0, "VP8L");
      if (in.hasTag(0, "ALPH") && !hasAlphaChunk) {
        hasAlphaChunk = true;
        from = in.at();
        in.skip(enterChunk());
      } else if (isLossless || in.hasTag(0, "VP8 ")) {
        if (isLossless && hasAlphaChunk) {
          throw misplaced("alpha of a lossless frame");
        }
        int start = in.at();
        in.skip(enterChunk());
        WebpHeader header = HeaderReader.header(in.file(), start, in.at());
        add(header, x, y, flags, hasAlphaChunk, hasAlphaChunk ? from : start);
        break;
      } else {
        break;
      }
    }
    boolean isOpen = in.left() > 0 && in.left() < WebpBytes.CHUNK_HEADER;
    if (in.at() > end || isOpen) {
      throw new WebpException("a frame passes its chunk");
    }
    if (hasAlphaChunk && (frames.isEmpty() || frames.getLast().from() != from)) {
      throw new WebpException("a frame has alpha and no colors");
    }
  }

  private void add(WebpHeader header, int x, int y, int flags, boolean hasAlphaChunk, int from)
      throws WebpException {
    if (header.width() > width - x || header.height() > height - y) {
      throw new WebpException("a frame is outside of the canvas");
    }
    frames.add(
        new AnimationFrame(
            x,
            y,
            header.width(),
            header.height(),
            (flags & 1) != 0,
            (flags & 2) == 0,
            hasAlphaChunk || header.hasAlpha(),
            from,
            in.at()));
  }
}
