package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * The audio of a RIFF WAVE file of 16-bit PCM (Multimedia Programming Interface and Data
 * Specifications 1.0, 1991). A frame is one sample of each channel.
 *
 * @param channels samples of a frame
 * @param sampleRate frames per second, an unsigned number
 * @param samples the interleaved frames, signed 16-bit little-endian numbers
 */
public record WavFile(int channels, int sampleRate, ByteBuffer samples) {
  private static final int HEADER_BYTES = 44;
  private static final int PCM = 1;
  private static final int BITS = 16;
  private static final int BYTES = BITS / 8;

  /** Chunks that may precede the format chunk. */
  private static final Set<String> BEFORE_FORMAT =
      Set.of("JUNK", "bext", "iXML", "qlty", "mext", "levl", "link", "axml");

  /** Number of frames. */
  int length() {
    return samples.remaining() / (BYTES * channels);
  }

  /**
   * Writes the first {@code frames} frames to {@code out}, with samples scaled to [-1, 1). Of each
   * frame the first {@code channelsOut} channels are written, the last of the file again for those
   * that it has not.
   */
  void read(float[] out, int frames, int channelsOut) {
    short[] all = new short[frames * channels];
    samples.slice().order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(all);
    if (channelsOut == channels) {
      for (int i = 0; i < all.length; i++) {
        out[i] = all[i] * (1f / (1 << 15));
      }
      return;
    }
    for (int at = 0; at < frames * channelsOut; at++) {
      int channel = Math.min(at % channelsOut, channels - 1);
      out[at] = all[at / channelsOut * channels + channel] * (1f / (1 << 15));
    }
  }

  /** Parses {@code file}; INVALID_ARGUMENT if it is malformed or in another format. */
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

  /** A cursor over the bytes of a file. */
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
      int bytesPerFrame = uint16();
      int bits = uint16();
      if (bits != BITS) {
        throw invalidArgument("Can only read 16-bit WAV files, but received %d", bits);
      }
      if (bytesPerFrame != BYTES * channels) {
        throw invalidArgument(
            "Bad bytes per sample in WAV header: Expected %d but got %d",
            BYTES * channels, bytesPerFrame);
      }
      long expected = (bytesPerFrame * rate) & 0xffffffffL;
      if (bytesPerSecond != expected) {
        throw invalidArgument(
            "Bad bytes per second in WAV header: Expected %d but got %d (sample_rate=%d,"
                + " bytes_per_sample=%d)",
            expected, bytesPerSecond, rate, bytesPerFrame);
      }
      if (size == 18) {
        in.position(Math.min(in.limit(), in.position() + 2));
      }
      return new WavFile(channels, (int) rate, data(bytesPerFrame));
    }

    private ByteBuffer data(int bytesPerFrame) {
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
        int used = (int) (size / bytesPerFrame * bytesPerFrame);
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

  /**
   * Encodes {@code frames} frames of {@code channels} interleaved samples, from index {@code from}
   * of {@code audio} on. INVALID_ARGUMENT if the format cannot hold them.
   *
   * @param audio samples in [-1, 1); others are clamped
   * @param sampleRate frames per second
   */
  public static byte[] encode(float[] audio, int from, int frames, int channels, int sampleRate) {
    if (sampleRate <= 0) {
      throw invalidArgument(
          "sample_rate must be in (0, 2^32), got: %s", Long.toUnsignedString(sampleRate));
    }
    if (channels == 0 || channels > 0xffff) {
      throw invalidArgument("num_channels must be in (0, 2^16), got: %d", channels);
    }
    long data = (long) frames * channels * BYTES;
    if (data > Integer.MAX_VALUE - HEADER_BYTES) {
      throw invalidArgument("Provided channels and frames cannot be encoded as a WAV.");
    }
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + (int) data).order(ByteOrder.LITTLE_ENDIAN);
    out.put("RIFF".getBytes(ISO_8859_1)).putInt(out.capacity() - 8);
    out.put("WAVEfmt ".getBytes(ISO_8859_1)).putInt(16);
    out.putShort((short) PCM).putShort((short) channels).putInt(sampleRate);
    out.putInt(sampleRate * BYTES * channels).putShort((short) (BYTES * channels));
    out.putShort((short) BITS).put("data".getBytes(ISO_8859_1)).putInt((int) data);
    for (int i = 0; i < frames * channels; i++) {
      out.putShort(quantize(audio[from + i]));
    }
    return out.array();
  }

  /** Rounds to the nearest of 2^16 steps, half away from zero. */
  private static short quantize(float sample) {
    double scaled = (double) sample * (1 << 15);
    double rounded = Math.copySign(Math.floor(Math.abs(scaled) + 0.5), scaled);
    return (short) Math.clamp(rounded, Short.MIN_VALUE, Short.MAX_VALUE);
  }
}
