package io.headrace.kernels.image.webp;

/**
 * Reads the headers of a file, or of a frame of an animation, which begins with the chunk of its
 * image or of its opacity. It accepts what libwebp does: the sizes of an incomplete file, as long
 * as its image is not asked for, and an image without a chunk around it. Used once.
 */
final class HeaderReader {
  private static final int RIFF_HEADER = 12;
  private static final int CANVAS_CHUNK = 18;

  /** The sizes of "WEBP" and of the first chunk's header, which a file's size counts. */
  private static final int LEAST_RIFF = 12;

  private static final int LOSSY_HEADER = 10;
  private static final int LOSSLESS_HEADER = 5;
  private static final int LOSSLESS_SIGNATURE = 0x2f;
  private static final int ANIMATION = 2;
  private static final int ALPHA = 0x10;

  private final WebpBytes in;
  private final boolean isWhole;
  private long riffSize;
  private boolean hasCanvas;
  private int flags;
  private int width;
  private int height;
  private boolean hasAlpha;
  private int alphaFrom = -1;
  private int alphaTo;
  private boolean isLossless;
  private long size;

  private HeaderReader(WebpBytes in, boolean isWhole) {
    this.in = in;
    this.isWhole = isWhole;
  }

  /** The header of what is from {@code from} to {@code to}, which may lack its end. */
  static WebpHeader header(byte[] file, int from, int to) throws WebpException {
    HeaderReader reader = new HeaderReader(new WebpBytes(file, from, to), false);
    reader.readContainer();
    boolean isAnimated = reader.hasCanvas && (reader.flags & ANIMATION) != 0;
    if (!isAnimated && !reader.findImage() && !reader.hasCanvas) {
      throw new WebpException("its header is cut off");
    }
    return new WebpHeader(
        reader.width, reader.height, reader.hasAlpha || reader.alphaFrom >= 0, isAnimated);
  }

  /** The image of what is from {@code from} to {@code to}, which is no animation. */
  static Bitstream image(byte[] file, int from, int to) throws WebpException {
    HeaderReader reader = new HeaderReader(new WebpBytes(file, from, to), true);
    reader.readContainer();
    if (!reader.findImage()) {
      throw new WebpException("it is cut off");
    }
    return new Bitstream(
        reader.isLossless, reader.in.at(), (int) reader.size, to, reader.alphaFrom, reader.alphaTo);
  }

  private void readContainer() throws WebpException {
    if (in.left() < RIFF_HEADER) {
      throw new WebpException("its header is cut off");
    }
    if (in.hasTag(0, "RIFF")) {
      riffSize = in.chunkSize();
      boolean isCut = isWhole && riffSize > in.left() - WebpBytes.CHUNK_HEADER;
      if (!in.hasTag(8, "WEBP")
          || riffSize < LEAST_RIFF
          || riffSize > WebpBytes.MAX_PAYLOAD
          || isCut) {
        throw new WebpException("its size is wrong");
      }
      in.skip(RIFF_HEADER);
    }
    readCanvas();
    if (hasCanvas && riffSize == 0) {
      throw new WebpException("it has a canvas without a container");
    }
  }

  private void readCanvas() throws WebpException {
    if (in.left() < WebpBytes.CHUNK_HEADER) {
      throw new WebpException("its header is cut off");
    }
    if (!in.hasTag(0, "VP8X")) {
      return;
    }
    if (in.chunkSize() != CANVAS_CHUNK - WebpBytes.CHUNK_HEADER || in.left() < CANVAS_CHUNK) {
      throw new WebpException("its canvas is cut off");
    }
    hasCanvas = true;
    flags = in.u8(8);
    hasAlpha = (flags & ALPHA) != 0;
    width = 1 + in.u24(12);
    height = 1 + in.u24(15);
    if ((long) width * height >= 1L << 32) {
      throw new WebpException("its canvas is too large");
    }
    in.skip(CANVAS_CHUNK);
  }

  /** Goes to the image, and reads its sizes; false if the bytes end before them. */
  private boolean findImage() throws WebpException {
    if (in.left() < 4) {
      return false;
    }
    boolean isFrame = riffSize == 0 && !hasCanvas && in.hasTag(0, "ALPH");
    if ((hasCanvas || isFrame) && !skipOtherChunks()) {
      return false;
    }
    if (in.left() < WebpBytes.CHUNK_HEADER || !readImageChunk()) {
      return false;
    }
    if (in.left() < (isLossless ? LOSSLESS_HEADER : LOSSY_HEADER)) {
      return false;
    }
    int canvasWidth = width;
    int canvasHeight = height;
    if (isLossless) {
      readLosslessHeader();
    } else {
      readLossyHeader();
    }
    if (hasCanvas && (width != canvasWidth || height != canvasHeight)) {
      throw new WebpException("its image does not have the size of its canvas");
    }
    return true;
  }

  /** Skips what stands before the image, and keeps the place of its opacity. */
  private boolean skipOtherChunks() throws WebpException {
    long total = 4 + CANVAS_CHUNK;
    while (in.left() >= WebpBytes.CHUNK_HEADER) {
      long chunk = in.chunkSize();
      long onDisk = WebpBytes.CHUNK_HEADER + WebpBytes.padded(chunk);
      total += onDisk;
      if (chunk > WebpBytes.MAX_PAYLOAD || (riffSize > 0 && total > riffSize)) {
        throw new WebpException("a chunk passes the end of the file");
      }
      if (in.hasTag(0, "VP8 ") || in.hasTag(0, "VP8L")) {
        return true;
      }
      if (in.left() < onDisk) {
        return false;
      }
      if (in.hasTag(0, "ALPH")) {
        alphaFrom = in.at() + WebpBytes.CHUNK_HEADER;
        alphaTo = alphaFrom + (int) chunk;
      }
      in.skip((int) onDisk);
    }
    return false;
  }

  private boolean readImageChunk() throws WebpException {
    boolean isTagged = in.hasTag(0, "VP8L") || in.hasTag(0, "VP8 ");
    if (!isTagged) {
      isLossless = hasLosslessSignature();
      size = in.left();
      return true;
    }
    size = in.chunkSize();
    if (size > WebpBytes.MAX_PAYLOAD || (riffSize >= LEAST_RIFF && size > riffSize - LEAST_RIFF)) {
      throw new WebpException("its image passes the end of the file");
    }
    if (isWhole && size > in.left() - WebpBytes.CHUNK_HEADER) {
      return false;
    }
    isLossless = in.hasTag(0, "VP8L");
    in.skip(WebpBytes.CHUNK_HEADER);
    return true;
  }

  private boolean hasLosslessSignature() {
    return in.left() >= LOSSLESS_HEADER
        && in.u8(0) == LOSSLESS_SIGNATURE
        && in.u8(4) >> 5 == 0; // the version
  }

  private void readLosslessHeader() throws WebpException {
    if (!hasLosslessSignature()) {
      throw new WebpException("its lossless image has a wrong signature");
    }
    long sides = in.u32(1);
    width = 1 + (int) (sides & 0x3fff);
    height = 1 + (int) (sides >> 14 & 0x3fff);
    hasAlpha = (sides >> 28 & 1) != 0;
  }

  private void readLossyHeader() throws WebpException {
    int tag = in.u24(0);
    boolean isKeyFrame = (tag & 1) == 0;
    boolean isShown = (tag >> 4 & 1) != 0;
    boolean hasSignature = in.u8(3) == 0x9d && in.u8(4) == 0x01 && in.u8(5) == 0x2a;
    width = in.u16(6) & 0x3fff;
    height = in.u16(8) & 0x3fff;
    boolean isEmpty = width == 0 || height == 0;
    boolean isKnown = (tag >> 1 & 7) <= 3;
    if (!hasSignature || !isKeyFrame || !isShown || !isKnown || tag >> 5 >= size || isEmpty) {
      throw new WebpException("its lossy image has a wrong header");
    }
  }
}
