package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.FixedLengthRecords;
import io.headrace.dataset.file.RecordFormat;
import io.headrace.dataset.file.RecordReader;
import io.headrace.dataset.file.TextLines;
import io.headrace.dataset.file.TfRecords;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.origin.RecordPlaces;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of files, file after file.
 *
 * @param iteratorName TensorFlow's name of the dataset, without "Dataset"
 * @param files the file names
 * @param formats the record format of each file
 */
public record RecordFilesDataset(
    String iteratorName, List<String> files, List<RecordFormat> formats) implements DatasetValue {
  private static final String METADATA = "metadata: string = ''";
  private static final String FILES =
      "(filenames: string, compression_type: string, buffer_size: int64";
  private static final String FIXED =
      "(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64,"
          + " buffer_size: int64";

  public static final List<Op> OPS =
      List.of(
          op("TFRecordDataset" + FILES + ")", in -> tfRecords(in, new long[0])),
          op(
              "TFRecordDatasetV2" + FILES + ", byte_offsets: int64)",
              in -> tfRecords(in, in.tensor("byte_offsets").integers())),
          op(
              "TextLineDataset" + FILES + ")",
              in -> {
                FileCompression compression = compression(in);
                return of("TextLine", in, file -> TextLines.open(file, compression));
              }),
          fixedOp("FixedLengthRecordDataset" + FIXED + ")", in -> fixed(in, FileCompression.NONE)),
          fixedOp(
              "FixedLengthRecordDatasetV2" + FIXED + ", compression_type: string)",
              in -> fixed(in, compression(in))));

  /** Makes the dataset of a node. */
  private interface Maker {
    DatasetValue make(OpArguments in);
  }

  private static Op op(String signature, Maker maker) {
    return declared(signature).kernel(DatasetKernel.making(maker::make));
  }

  private static Op fixedOp(String signature, Maker maker) {
    return declared(signature)
        .remark(
            "A compressed file whose length is no multiple of the record length fails with"
                + " DATA_LOSS behind its last whole record.")
        .kernel(DatasetKernel.making(maker::make));
  }

  private static Op.Builder declared(String signature) {
    return DatasetOp.define(signature).touches(Touch.READS_FILES).attrs(METADATA);
  }

  private static FileCompression compression(OpArguments in) {
    return FileCompression.ofName(in.string("compression_type"));
  }

  private static RecordFilesDataset of(String name, OpArguments in, RecordFormat format) {
    List<String> files = in.strings("filenames");
    return new RecordFilesDataset(name, files, files.stream().map(_ -> format).toList());
  }

  private static RecordFilesDataset tfRecords(OpArguments in, long[] offsets) {
    FileCompression compression = compression(in);
    List<String> files = in.strings("filenames");
    if (offsets.length != 0 && offsets.length != files.size()) {
      throw in.invalid(
          "there must be an offset for each file, and are %d for %d", offsets.length, files.size());
    }
    RecordFormat[] formats = new RecordFormat[files.size()];
    for (int i = 0; i < formats.length; i++) {
      long offset = offsets.length == 0 ? 0 : offsets[i];
      formats[i] = file -> TfRecords.open(file, compression, offset);
    }
    return new RecordFilesDataset("TFRecord", files, List.of(formats));
  }

  private static RecordFilesDataset fixed(OpArguments in, FileCompression compression) {
    long header = in.integer("header_bytes");
    long record = in.positive("record_bytes");
    long footer = in.integer("footer_bytes");
    if (header < 0 || footer < 0 || record + footer > Integer.MAX_VALUE - 8) {
      throw in.invalid(
          "header_bytes (%d) and footer_bytes (%d) must be at least 0, and a record (%d bytes) with"
              + " the footer at most 2^31 bytes",
          header, footer, record);
    }
    FixedLengthRecords.Layout layout =
        new FixedLengthRecords.Layout(header, (int) record, (int) footer);
    return of("FixedLengthRecord", in, file -> FixedLengthRecords.open(file, compression, layout));
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.STRING);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(Shape.SCALAR);
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  private final class Iterator implements ChunkIterator {
    private static final int MAX_ROWS = 8192;

    private final IteratorContext context;
    private int nextFile;

    /** The records of the present file that were read. */
    private long records;

    private volatile @Nullable RecordReader reader;
    private volatile boolean closed;

    Iterator(IteratorContext context) {
      this.context = context;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      byte[][] rows = new byte[Math.min(maxRows, MAX_ROWS)][];
      int count = read(rows);
      if (count == 0) {
        return null;
      }
      byte[][] found = count == rows.length ? rows : Arrays.copyOf(rows, count);
      Tensor tensor = Tensor.wrap(DataType.STRING, Shape.of(count), found);
      String file = files.get(nextFile - 1);
      return Chunk.of(count, List.of(new Column.Stacked(tensor)))
          .withPlaces(RecordPlaces.of(file, records - count + 1, count));
    }

    private int read(byte[][] rows) {
      while (true) {
        context.step().cancellation().check();
        RecordReader current = reader;
        if (current == null) {
          current = openNext();
        }
        if (current == null) {
          return 0;
        }
        int count = read(current, rows);
        if (count > 0) {
          records += count;
          return count;
        }
        leave(current);
      }
    }

    private int read(RecordReader current, byte[][] rows) {
      try {
        return current.read(rows, 0, rows.length);
      } catch (StatusException e) {
        // The rest of the file is lost; the pass continues with the next file.
        leave(current);
        throw e;
      }
    }

    private @Nullable RecordReader openNext() {
      if (closed || nextFile == files.size()) {
        return null;
      }
      int index = nextFile++;
      records = 0;
      context.files().opening(files.get(index));
      RecordReader opened = formats.get(index).open(files.get(index));
      reader = opened;
      if (closed) {
        opened.close();
      }
      return opened;
    }

    private void leave(RecordReader current) {
      reader = null;
      current.close();
    }

    @Override
    public void close() {
      closed = true;
      RecordReader current = reader;
      if (current != null) {
        current.close();
      }
    }
  }
}
