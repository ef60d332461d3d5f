package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A pass's use of a snapshot of TensorFlow 1, and its attr {@code mode}. */
enum LegacySnapshotMode {
  /** Whichever of the others fits the metadata that a pass finds. */
  AUTO,
  /** Read what was written, finished or not. */
  READ,
  /** Write the input, whatever was written before. */
  WRITE,
  /** Pass the input through. */
  PASSTHROUGH;

  /** The attr {@code mode}; INVALID_ARGUMENT, with TensorFlow's message, for another value. */
  static LegacySnapshotMode parse(OpArguments in) {
    String name = in.attrs().string("mode");
    for (LegacySnapshotMode mode : values()) {
      if (mode.name().toLowerCase(Locale.ROOT).equals(name)) {
        return mode;
      }
    }
    throw in.invalid("mode must be either 'auto', 'read', 'write', or 'passthrough'.");
  }

  /**
   * Decides for a pass at {@code now} that finds {@code metadata}; never AUTO. A pass that is to
   * choose writes a snapshot that is not there, reads one that is finished, and leaves an
   * unfinished one to its writer, until this one began longer ago than {@code expiry}.
   *
   * @throws StatusException NOT_FOUND if it is to read, and there is nothing
   */
  LegacySnapshotMode decide(
      Optional<SnapshotMetadataRecord> metadata, Duration expiry, Instant now) {
    if (this == READ && metadata.isEmpty()) {
      throw StatusException.of(StatusCode.NOT_FOUND, "Metadata file does not exist.");
    }
    if (this != AUTO) {
      return this;
    }
    if (metadata.isEmpty()) {
      return WRITE;
    }
    if (metadata.get().getFinalized()) {
      return READ;
    }
    Instant expired = now.minus(expiry);
    long expiredMicros =
        TimeUnit.SECONDS.toMicros(expired.getEpochSecond())
            + TimeUnit.NANOSECONDS.toMicros(expired.getNano());
    return metadata.get().getCreationTimestamp() >= expiredMicros ? PASSTHROUGH : WRITE;
  }
}
