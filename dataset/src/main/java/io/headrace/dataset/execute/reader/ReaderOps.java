package io.headrace.dataset.execute.reader;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.execute.reader.ReaderResource.Format;
import io.headrace.dataset.execute.reader.ReaderResource.KeyedRecord;
import io.headrace.dataset.execute.reader.ReaderResource.Records;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.FixedLengthRecords;
import io.headrace.dataset.file.RecordReader;
import io.headrace.dataset.file.TextLines;
import io.headrace.dataset.file.TfRecords;
import io.headrace.kernels.kit.Outputs;
import io.headrace.kernels.resource.HandleForm;
import io.headrace.kernels.resource.SharedResource;
import io.headrace.kernels.resource.TensorQueue;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** TensorFlow 1's reader ops: they read the files named by a queue. */
public final class ReaderOps {
  private static final String READER = "reader_handle";

  /** The bytes that the TFRecord format adds to each record: length and checksums. */
  private static final int TF_RECORD_FRAME_BYTES = 16;

  private ReaderOps() {}

  public static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (HandleForm form : HandleForm.values()) {
      ops.add(
          reader(form, "TFRecordReader", ReaderOps::tfRecords, "compression_type: string = ''"));
      ops.add(reader(form, "TextLineReader", ReaderOps::lines, "skip_header_lines: int = 0"));
      ops.add(reader(form, "WholeFileReader", _ -> new WholeFiles(DataFiles::read)));
      ops.add(reader(form, "IdentityReader", _ -> new WholeFiles(file -> file.getBytes(UTF_8))));
      ops.addAll(users(form));
    }
    ops.add(
        reader(
            HandleForm.RESOURCE,
            "FixedLengthRecordReader",
            ReaderOps::fixed,
            "header_bytes: int = 0",
            "record_bytes: int",
            "footer_bytes: int = 0",
            "hop_bytes: int = 0",
            "encoding: string = ''"));
    return ops;
  }

  /** Makes the format of a reader node. */
  @FunctionalInterface
  private interface FormatMaker {
    Format make(NodeSpec node);
  }

  private static Op reader(HandleForm form, String name, FormatMaker maker, String... attrs) {
    return form.creatingOp(name, READER)
        .touches(Touch.READS_FILES)
        .attrs("container: string = ''", "shared_name: string = ''")
        .attrs(attrs)
        .kernel(node -> {
          Format format = maker.make(node);
          return SharedResource.kernel(
              node, ReaderResource.class, _ -> new ReaderResource(format), _ -> {});
        });
  }

  private static List<Op> users(HandleForm form) {
    String queue = ", queue_handle: " + form.argument();
    return List.of(
        user(form, "ReaderRead", queue, "key: string, value: string")
            .waiting(_ ->
                call ->
                    Outputs.set(
                        call,
                        ReaderResource.of(call.input(0))
                            .read(TensorQueue.of(call.input(1)), call.cancellation()))),
        user(form, "ReaderReadUpTo", queue + ", num_records: int64", "keys: string, values: string")
            .waiting(_ ->
                call ->
                    Outputs.set(
                        call,
                        ReaderResource.of(call.input(0))
                            .readMany(
                                call.input(2).integer(0),
                                TensorQueue.of(call.input(1)),
                                call.cancellation()))),
        counter(form, "ReaderNumRecordsProduced", "records_produced", ReaderResource::produced),
        counter(form, "ReaderNumWorkUnitsCompleted", "units_completed", ReaderResource::completed),
        user(form, "ReaderSerializeState", "", "state: string")
            .shape(ShapeFunctions.SCALAR)
            .waiting(_ ->
                call ->
                    Outputs.set(call, ReaderResource.of(call.input(0)).save(call.cancellation()))),
        user(form, "ReaderRestoreState", ", state: string", "")
            .waiting(_ ->
                call ->
                    Outputs.set(
                        call,
                        ReaderResource.of(call.input(0))
                            .restore(call.input(1), call.cancellation()))),
        user(form, "ReaderReset", "", "")
            .waiting(_ ->
                call ->
                    Outputs.set(
                        call, ReaderResource.of(call.input(0)).reset(call.cancellation()))));
  }

  private static Op counter(
      HandleForm form, String name, String output, ToLongFunction<ReaderResource> count) {
    return user(form, name, "", output + ": int64")
        .shape(ShapeFunctions.SCALAR)
        .stateless(call ->
            call.setOutput(0, Tensor.scalar(count.applyAsLong(ReaderResource.of(call.input(0))))));
  }

  private static Op.Builder user(HandleForm form, String name, String inputs, String outputs) {
    return form.handleOp(name, READER, inputs, outputs).touches(Touch.READS_FILES);
  }

  /** A format in which each file is one record; {@code value} reads it by name. */
  private record WholeFiles(Function<String, byte[]> value) implements Format {
    @Override
    public Records open(String file) {
      return new Once(file, value.apply(file));
    }

    @Override
    public boolean isOfWholeFiles() {
      return true;
    }
  }

  /** A single record, whose key is the file name. */
  private static final class Once implements Records {
    private final KeyedRecord whole;
    private boolean isOver;

    Once(String file, byte[] value) {
      this.whole = new KeyedRecord(file.getBytes(UTF_8), value);
    }

    @Override
    public @Nullable KeyedRecord next() {
      isOver = true;
      return whole;
    }

    @Override
    public boolean isOver() {
      return isOver;
    }

    @Override
    public void close() {}
  }

  /** The records of a file, with the keys {@code FILE:NUMBER}. */
  private static final class Numbered implements Records {
    private final String file;
    private final RecordReader reader;
    private final LongBinaryOperator next;
    private final byte[][] one = new byte[1][];
    private long number;

    /**
     * Starts a file.
     *
     * @param number the number of the first record
     * @param next computes the next record's number from a record's number and length
     */
    Numbered(String file, RecordReader reader, long number, LongBinaryOperator next) {
      this.file = file;
      this.reader = reader;
      this.number = number;
      this.next = next;
    }

    @Override
    public @Nullable KeyedRecord next() {
      if (reader.read(one, 0, 1) == 0) {
        return null;
      }
      byte[] key = (file + ":" + number).getBytes(UTF_8);
      number = next.applyAsLong(number, one[0].length);
      return new KeyedRecord(key, one[0]);
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  private static Format tfRecords(NodeSpec node) {
    FileCompression compression = FileCompression.ofName(node.attrs().string("compression_type"));
    return file ->
        new Numbered(
            file,
            TfRecords.open(file, compression, 0),
            0,
            (offset, length) -> offset + length + TF_RECORD_FRAME_BYTES);
  }

  private static Format lines(NodeSpec node) {
    long header = node.attrs().integer("skip_header_lines");
    return file -> {
      RecordReader reader = TextLines.open(file, FileCompression.NONE);
      byte[][] one = new byte[1][];
      long line = 1;
      while (line <= header && reader.read(one, 0, 1) > 0) {
        line++;
      }
      return new Numbered(file, reader, line, (number, _) -> number + 1);
    };
  }

  private static Format fixed(NodeSpec node) {
    Attrs attrs = node.attrs();
    long header = attrs.integer("header_bytes");
    long record = attrs.integer("record_bytes");
    long footer = attrs.integer("footer_bytes");
    long hop = attrs.integer("hop_bytes");
    if (header < 0 || record < 1 || footer < 0 || hop < 0 || record + footer > Integer.MAX_VALUE) {
      throw invalidArgument(
          "header_bytes (%d), footer_bytes (%d) and hop_bytes (%d) must be at least 0, and"
              + " record_bytes (%d) at least 1: node %s",
          header, footer, hop, record, node.name());
    }
    if (hop != 0 && hop != record) {
      throw StatusException.unimplemented(
          "records that overlap or leave gaps (hop_bytes %d of %d) are not supported: node %s",
          hop, record, node.name());
    }
    FileCompression compression = FileCompression.ofName(attrs.string("encoding"));
    FixedLengthRecords.Layout layout =
        new FixedLengthRecords.Layout(header, (int) record, (int) footer);
    return file ->
        new Numbered(
            file, FixedLengthRecords.open(file, compression, layout), 0, (number, _) -> number + 1);
  }
}
