package io.headrace.kernels.image.jpeg;

/** Decodes the coefficients of scans. */
abstract class EntropyDecoder {
  final MarkerReader markers;

  private int toRestart;

  EntropyDecoder(MarkerReader markers) {
    this.markers = markers;
  }

  static EntropyDecoder of(MarkerReader markers, SpectralProgress progress) throws JpegException {
    FrameHeader frame = markers.frame();
    if (frame.isArithmetic()) {
      return new ArithmeticDecoder(markers, progress);
    }
    if (frame.isProgressive()) {
      return new ProgressiveHuffmanDecoder(markers, progress);
    }
    markers.useStandardTables();
    return new SequentialHuffmanDecoder(markers);
  }

  /** Prepares for {@code scan}. */
  final void start(ScanHeader scan) throws JpegException {
    toRestart = markers.restartInterval();
    startScan(scan);
  }

  /**
   * Decodes an MCU. Blocks hold zeros, or what earlier scans left. OutOfDataException ends decoding
   * for good.
   */
  final void decode(Mcu mcu) throws JpegException {
    if (markers.restartInterval() != 0) {
      if (toRestart == 0) {
        markers.readRestartMarker();
        restart();
        toRestart = markers.restartInterval();
      }
      toRestart--;
    }
    markers.input().rewind();
    decodeMcu(mcu);
  }

  /** Whether data of the scan, or of its restart interval, ended too early. */
  abstract boolean isExhausted();

  abstract void startScan(ScanHeader scan) throws JpegException;

  /** Resets what a restart marker resets. */
  abstract void restart() throws JpegException;

  abstract void decodeMcu(Mcu mcu) throws JpegException;
}
