package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * Sound as RIFF WAVE files hold it: PCM of 16 bits (Multimedia Programming Interface and Data
 * Specifications 1.0, 1991).
 *
 * @param channels samples of one moment
 * @param sampleRate moments in a second, an unsigned number
 * @param samples for each moment one of each channel, as signed 16-bit numbers, little-endian
 */
public record WavFile(int channels, int sampleRate, ByteBuffer samples) {
  private static final int HEADER_BYTES = 44;
  private static final int PCM = 1;
  private static final int BITS = 16;
  private static final int BYTES = BITS / 8;

  /** Chunks that may come before the format. */
  private static final Set<String> BEFORE_FORMAT =
      Set.of("JUNK", "bext", "iXML", "qlty", "mext", "levl", "link", "axml");

  /** Number of moments. */
  int length() {
    return samples.remaining() / (BYTES * channels);
  }

  /** A sample from -1 up to 1. */
  float sample(int moment, int channel) {
    int at = (moment * channels + channel) * BYTES;
    return samples.getShort(samples.position() + at) * (1f / (1 << 15));
  }

  /** Reads {@code file}; INVALID_ARGUMENT if it is no such file. */
  static WavFile parse(byte[] file) {
    Reader reader = new Reader(ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN));
    reader.expect("RIFF");
    reader.uint32();
    reader.expect("WAVE");
    for (String id = reader.text(4); !id.equals("fmt "); id = reader.text(4)) {
      if (!BEFORE_FORMAT.contains(id)) {
        throw invalidArgument("Unexpected field %s", id);
      }
      reader.skip(reader.uint32());
    }
    return reader.afterFormat();
  }

  /** The bytes of a file, one after the other. */
  private record Reader(ByteBuffer in) {
    private void need(long bytes) {
      if (bytes > in.remaining()) {
        throw invalidArgument("Data too short when trying to read string");
      }
    }

    String text(int bytes) {
      need(bytes);
      byte[] text = new byte[bytes];
      in.get(text);
      return new String(text, ISO_8859_1);
    }

    void expect(String text) {
      String found = text(text.length());
      if (!found.equals(text)) {
        throw invalidArgument("Header mismatch: Expected %s but found %s", text, found);
      }
    }

    int uint16() {
      need(2);
      return in.getShort() & 0xffff;
    }

    long uint32() {
      need(4);
      return in.getInt() & 0xffffffffL;
    }

    void skip(long bytes) {
      need(bytes);
      in.position(in.position() + (int) bytes);
    }

    WavFile afterFormat() {
      long size = uint32();
      if (size != 16 && size != 18) {
        throw invalidArgument("Bad format chunk size for WAV: Expected 16 or 18, but got%d", size);
      }
      int format = uint16();
      if (format != PCM) {
        throw invalidArgument("Bad audio format for WAV: Expected 1 (PCM), but got%d", format);
      }
      int channels = uint16();
      if (channels < 1) {
        throw invalidArgument(
            "Bad number of channels for WAV: Expected at least 1, but got %d", channels);
      }
      long rate = uint32();
      long bytesPerSecond = uint32();
      int bytesPerMoment = uint16();
      int bits = uint16();
      if (bits != BITS) {
        throw invalidArgument("Can only read 16-bit WAV files, but received %d", bits);
      }
      if (bytesPerMoment != BYTES * channels) {
        throw invalidArgument(
            "Bad bytes per sample in WAV header: Expected %d but got %d",
            BYTES * channels, bytesPerMoment);
      }
      long expected = (bytesPerMoment * rate) & 0xffffffffL;
      if (bytesPerSecond != expected) {
        throw invalidArgument(
            "Bad bytes per second in WAV header: Expected %d but got %d (sample_rate=%d,"
                + " bytes_per_sample=%d)",
            expected, bytesPerSecond, rate, bytesPerMoment);
      }
      if (size == 18) {
        in.position(Math.min(in.limit(), in.position() + 2));
      }
      return new WavFile(channels, (int) rate, data(bytesPerMoment));
    }

    private ByteBuffer data(int bytesPerMoment) {
      ByteBuffer found = null;
      while (in.hasRemaining()) {
        String id = text(4);
        long size = uint32();
        if (size > Integer.MAX_VALUE) {
          throw invalidArgument(
              "WAV data chunk '%s' is too large: %d bytes, but the limit is %d",
              id, size, Integer.MAX_VALUE);
        }
        if (!id.equals("data")) {
          in.position((int) Math.min(in.limit(), in.position() + size));
          continue;
        }
        if (found != null) {
          throw invalidArgument("More than one data chunk found in WAV");
        }
        int used = (int) (size / bytesPerMoment * bytesPerMoment);
        need(used);
        found = in.slice(in.position(), used).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + used);
      }
      if (found == null) {
        throw invalidArgument("No data chunk found in WAV");
      }
      return found;
    }
  }

  /** A file of {@code moments} times {@code channels} samples from {@code from} on. */
  public static byte[] encode(float[] audio, int from, int moments, int channels, int sampleRate) {
    if (sampleRate <= 0) {
      throw invalidArgument(
          "sample_rate must be in (0, 2^32), got: %s", Long.toUnsignedString(sampleRate));
    }
    if (channels == 0 || channels > 0xffff) {
      throw invalidArgument("num_channels must be in (0, 2^16), got: %d", channels);
    }
    long data = (long) moments * channels * BYTES;
    if (data > Integer.MAX_VALUE - HEADER_BYTES) {
      throw invalidArgument("Provided channels and frames cannot be encoded as a WAV.");
    }
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + (int) data).order(ByteOrder.LITTLE_ENDIAN);
    out.put("RIFF".getBytes(ISO_8859_1)).putInt(out.capacity() - 8);
    out.put("WAVEfmt ".getBytes(ISO_8859_1)).putInt(16);
    out.putShort((short) PCM).putShort((short) channels).putInt(sampleRate);
    out.putInt(sampleRate * BYTES * channels).putShort((short) (BYTES * channels));
    out.putShort((short) BITS).put("data".getBytes(ISO_8859_1)).putInt((int) data);
    for (int i = 0; i < moments * channels; i++) {
      out.putShort(quantized(audio[from + i]));
    }
    return out.array();
  }

  /** The nearest of 2^16 steps, of two the one farther from 0. */
  private static short quantized(float sample) {
    double scaled = (double) sample * (1 << 15);
    double rounded = Math.copySign(Math.floor(Math.abs(scaled) + 0.5), scaled);
    return (short) Math.clamp(rounded, Short.MIN_VALUE, Short.MAX_VALUE);
  }
}
