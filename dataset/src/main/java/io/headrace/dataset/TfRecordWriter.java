package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.FileOutput;
import io.headrace.dataset.file.TfRecordFrame;
import io.headrace.runtime.status.StatusException;

/**
 * Writes a TFRecord file, which {@link Dataset#tfRecord} and TensorFlow read. The file is complete
 * once the writer is closed; until then, readers may find it truncated (DATA_LOSS).
 *
 * <pre>{@code
 * try (TfRecordWriter writer = TfRecordWriter.create("/data/part-0.tfrecord")) {
 *   for (Element e : images) {
 *     writer.write(Example.of(e));
 *   }
 * }
 * }</pre>
 *
 * <p>Used by one thread. Failures to write have the code that TensorFlow gives them: NOT_FOUND if
 * the folder does not exist, PERMISSION_DENIED, RESOURCE_EXHAUSTED if the disk is full.
 */
public final class TfRecordWriter implements AutoCloseable {
  private final FileOutput out;
  private final TfRecordFrame frame = new TfRecordFrame();

  private TfRecordWriter(FileOutput out) {
    this.out = out;
  }

  /** Opens {@code file}, empty; its folder must exist. */
  public static TfRecordWriter create(String file) {
    requireNonNull(file, "file is null");
    return create(file, Compression.NONE);
  }

  /** Opens {@code file}, empty, to be compressed; its folder must exist. */
  public static TfRecordWriter create(String file, Compression compression) {
    requireNonNull(compression, "compression is null");
    requireNonNull(file, "file is null");
    return new TfRecordWriter(
        FileOutput.replace(file, FileCompression.ofName(compression.tfName())));
  }

  /** Writes a record: length, its checksum, the bytes, their checksum, as TfRecords reads them. */
  public void write(byte[] record) {
    requireNonNull(record, "record is null");
    out.write(frame.header(record));
    out.write(record);
    out.write(frame.footer(record));
  }

  /** Writes {@code example} as a record. */
  public void write(Example example) {
    requireNonNull(example, "example is null");
    write(example.toByteArray());
  }

  /**
   * Completes and closes the file; does nothing if it is closed.
   *
   * @throws StatusException if what is buffered can't be written
   */
  @Override
  public void close() {
    out.close();
  }
}
