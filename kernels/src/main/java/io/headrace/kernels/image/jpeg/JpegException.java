package io.headrace.kernels.image.jpeg;

import java.io.Serial;

/** A file that libjpeg gives up on. It has no stack trace, as the file is at fault. */
class JpegException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  JpegException(String message) {
    super(message, null, false, false);
  }
}
