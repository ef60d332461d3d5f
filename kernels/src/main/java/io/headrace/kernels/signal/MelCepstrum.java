package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Attrs;
import java.util.Arrays;

/**
 * Mel-frequency cepstral coefficients of spectra (Davis and Mermelstein, IEEE Transactions on
 * Acoustics, Speech, and Signal Processing 28(4), 1980), with TensorFlow's triangular filters,
 * evenly spaced in mels. Not thread-safe.
 */
final class MelCepstrum {
  /** The least energy whose logarithm is taken. */
  private static final double FLOOR = 1e-12;

  /** Marks a bin outside all filters. */
  private static final int UNUSED = -2;

  /**
   * The attrs of Mfcc.
   *
   * @param upper highest frequency, in Hz
   * @param lower lowest frequency, in Hz
   * @param channels number of filters
   * @param coefficients number of output coefficients
   */
  record Settings(double upper, double lower, int channels, int coefficients) {
    static Settings of(Attrs attrs) {
      return new Settings(
          attrs.floating("upper_frequency_limit"),
          attrs.floating("lower_frequency_limit"),
          Math.toIntExact(attrs.integer("filterbank_channel_count")),
          Math.toIntExact(attrs.integer("dct_coefficient_count")));
    }
  }

  private final int channels;

  /** The first bin inside the frequency limits. */
  private final int start;

  /** The last bin inside the frequency limits. */
  private final int end;

  /**
   * For each bin, the filter on whose falling slope it lies; the next filter's slope rises there.
   */
  private final int[] filters;

  /** The share of a bin that goes to its filter; the rest goes to the next one. */
  private final double[] weights;

  private final double[][] cosines;
  private final double[] energies;

  MelCepstrum(Settings settings, int bins, int sampleRate) {
    boolean possible =
        settings.channels >= 1
            && sampleRate > 0
            && bins >= 2
            && settings.lower >= 0
            && settings.upper > settings.lower
            && settings.coefficients >= 1
            && settings.coefficients <= settings.channels;
    if (!possible) {
      throw invalidArgument(
          "Mfcc initialization failed for channel count %d, sample rate %d and"
              + " filterbank_channel_count %d",
          bins, sampleRate, settings.channels);
    }
    double hertzPerBin = 0.5 * sampleRate / (bins - 1);
    this.channels = settings.channels;
    this.start = (int) (1.5 + settings.lower / hertzPerBin);
    this.end = (int) (settings.upper / hertzPerBin);
    this.filters = new int[bins];
    this.weights = new double[bins];
    setFilters(centers(settings), mel(settings.lower), hertzPerBin);
    this.cosines = cosines(settings);
    this.energies = new double[channels];
  }

  private static double mel(double hertz) {
    return 1127.0 * Math.log1p(hertz / 700.0);
  }

  /** The center of each filter in mels, and the upper end of the last one. */
  private static double[] centers(Settings settings) {
    double low = mel(settings.lower);
    double spacing = (mel(settings.upper) - low) / (settings.channels + 1);
    double[] centers = new double[settings.channels + 1];
    for (int i = 0; i < centers.length; i++) {
      centers[i] = low + spacing * (i + 1);
    }
    return centers;
  }

  private void setFilters(double[] centers, double low, double hertzPerBin) {
    int channel = 0;
    for (int i = 0; i < filters.length; i++) {
      if (i < start || i > end) {
        filters[i] = UNUSED;
        continue;
      }
      double mel = mel(i * hertzPerBin);
      while (channel < channels && centers[channel] < mel) {
        channel++;
      }
      filters[i] = channel - 1;
      double from = channel == 0 ? low : centers[channel - 1];
      weights[i] = (centers[channel] - mel) / (centers[channel] - from);
    }
  }

  /** The matrix of the type II discrete cosine transform. */
  private static double[][] cosines(Settings settings) {
    double norm = Math.sqrt(2.0 / settings.channels);
    double[][] cosines = new double[settings.coefficients][settings.channels];
    for (int i = 0; i < settings.coefficients; i++) {
      for (int j = 0; j < settings.channels; j++) {
        cosines[i][j] = norm * Math.cos(i * (Math.PI / settings.channels) * (j + 0.5));
      }
    }
    return cosines;
  }

  /**
   * Writes the coefficients of one spectrum to {@code out}, from {@code to} on.
   *
   * @param spectrum squared magnitudes, from index {@code from} on
   */
  void compute(float[] spectrum, int from, float[] out, int to) {
    if (end >= filters.length) {
      return; // as TensorFlow: zeros if the upper limit is beyond the spectrum
    }
    Arrays.fill(energies, 0);
    for (int i = start; i <= end; i++) {
      double magnitude = Math.sqrt(spectrum[from + i]);
      double falling = magnitude * weights[i];
      int filter = filters[i];
      if (filter >= 0) {
        energies[filter] += falling;
      }
      if (filter + 1 < channels) {
        energies[filter + 1] += magnitude - falling;
      }
    }
    for (int j = 0; j < channels; j++) {
      energies[j] = Math.log(energies[j] < FLOOR ? FLOOR : energies[j]);
    }
    for (int i = 0; i < cosines.length; i++) {
      double sum = 0;
      for (int j = 0; j < channels; j++) {
        sum += cosines[i][j] * energies[j];
      }
      out[to + i] = (float) sum;
    }
  }
}
