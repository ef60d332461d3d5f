package io.headrace.dispatcher;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.journal.GcsLocation;
import io.headrace.journal.JournalReader;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The journal of a dispatcher that does not run, read as a start reads it and left as it is.
 *
 * @param content its records with their properties
 * @param records the records, parsed
 */
public record JournalInspection(JournalReader.Content content, List<JournalRecord> records) {
  /** Copies the list. */
  public JournalInspection {
    records = List.copyOf(records);
  }

  /** The numbers of what the records restore. */
  public record Restored(int workers, int datasets, int jobs, long unfinished, int readers) {}

  /**
   * Reads the journal of {@code workDir}, a directory or the URL of a bucket, and checks that no
   * acknowledged record is missing or damaged.
   *
   * @param workDir as a dispatcher gets it
   * @param gcsEndpoint the endpoint of an emulator; empty for Google's
   * @throws StatusException as {@link JournalReader#read} does
   */
  public static JournalInspection read(String workDir, String gcsEndpoint) {
    JournalReader.Content content =
        GcsLocation.isBucketUrl(workDir)
            ? JournalReader.read(GcsLocation.parse(workDir, gcsEndpoint))
            : JournalReader.read(Path.of(workDir));
    List<JournalRecord> records = new ArrayList<>();
    for (byte[] record : content.records()) {
      try {
        records.add(JournalRecord.parseFrom(record));
      } catch (InvalidProtocolBufferException e) {
        throw new StatusException(
            StatusCode.DATA_LOSS,
            "record %d is no record of a dispatcher: %s"
                .formatted(content.first() + records.size(), e.getMessage()),
            e);
      }
    }
    return new JournalInspection(content, records);
  }

  /**
   * Restores a state from the records, as a start does.
   *
   * @throws StatusException DATA_LOSS, with its number, for a record that can't follow the others
   */
  public Restored restore() {
    DispatcherState state = new DispatcherState();
    for (int i = 0; i < records.size(); i++) {
      try {
        state.apply(records.get(i));
      } catch (StatusException e) {
        throw e.in("record " + (content.first() + i));
      }
    }
    return new Restored(
        state.workers().size(),
        state.datasets().size(),
        state.jobs().size(),
        state.iterations().unfinished().size(),
        state.iterations().clients().size());
  }
}
