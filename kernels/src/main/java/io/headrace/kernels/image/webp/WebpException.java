package io.headrace.kernels.image.webp;

import java.io.Serial;

/** A file that libwebp gives up on. It has no stack trace, as the file is at fault. */
final class WebpException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  WebpException(String message) {
    super(message, null, false, false);
  }
}
