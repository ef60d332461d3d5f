package io.headrace.kernels.image;

/** The formats of image files, told by their first bytes. */
enum ImageFormat {
  /** The Joint Photographic Experts Group's. */
  JPEG("\u00ff\u00d8\u00ff"),
  /** Portable Network Graphics. */
  PNG("\u0089PNG\r\n\u001a\n"),
  /** The Graphics Interchange Format. */
  GIF("GIF8"),
  /** Windows bitmaps. */
  BMP("BM"),
  /** WebP, which is not supported. */
  WEBP("RIFF"),
  /** None of them. */
  UNKNOWN("");

  private final String magic;

  ImageFormat(String magic) {
    this.magic = magic;
  }

  /** The format of the file {@code contents}. */
  static ImageFormat of(byte[] contents) {
    for (ImageFormat format : values()) {
      boolean matches = startsWith(contents, 0, format.magic);
      if (matches && (format != WEBP || startsWith(contents, 8, "WEBP"))) {
        return format;
      }
    }
    return UNKNOWN;
  }

  private static boolean startsWith(byte[] contents, int from, String prefix) {
    if (contents.length < from + prefix.length()) {
      return false;
    }
    for (int i = 0; i < prefix.length(); i++) {
      if ((contents[from + i] & 0xff) != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
