package io.headrace.kernels.image;

/** Formats of image files, recognized by their first bytes. */
enum ImageFormat {
  /** JPEG. */
  JPEG("\u00ff\u00d8\u00ff"),
  /** PNG. */
  PNG("\u0089PNG\r\n\u001a\n"),
  /** GIF. */
  GIF("GIF8"),
  /** Windows bitmap. */
  BMP("BM"),
  /** WebP. */
  WEBP("RIFF"),
  /** Any other file. */
  UNKNOWN("");

  private final String magic;

  ImageFormat(String magic) {
    this.magic = magic;
  }

  /** The format of the file {@code contents}. */
  static ImageFormat of(byte[] contents) {
    for (ImageFormat format : values()) {
      boolean matches = startsWith(contents, 0, format.magic);
      if (matches && (format != WEBP || isWebp(contents))) {
        return format;
      }
    }
    return UNKNOWN;
  }

  /** Whether a RIFF file is an image, and goes on after that. */
  private static boolean isWebp(byte[] contents) {
    return contents.length > 12 && startsWith(contents, 8, "WEBP");
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
