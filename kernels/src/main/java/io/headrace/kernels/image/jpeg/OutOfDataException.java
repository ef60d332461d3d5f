package io.headrace.kernels.image.jpeg;

import java.io.Serial;

/**
 * The end of the file within a marker segment or an MCU. libjpeg then waits for more data, so what
 * was decoded before remains usable.
 */
final class OutOfDataException extends JpegException {
  @Serial private static final long serialVersionUID = 1;

  OutOfDataException() {
    super("the file ends within a segment");
  }
}
