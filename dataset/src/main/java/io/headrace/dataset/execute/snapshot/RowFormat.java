package io.headrace.dataset.execute.snapshot;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.LengthPrefixedRecords;
import io.headrace.dataset.file.RecordReader;
import io.headrace.dataset.file.SnappyBlock;
import io.headrace.dataset.file.TfRecords;
import io.headrace.proto.data.experimental.SnapshotRecord;
import io.headrace.proto.data.experimental.SnapshotTensorMetadata;
import io.headrace.proto.data.experimental.TensorMetadata;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/** The format of the rows in a chunk file, by the version of the snapshot. */
enum RowFormat {
  /** A TFRecord with a TensorProto for each component (version 2). */
  TENSORS {
    @Override
    int records(int components) {
      return components;
    }

    @Override
    RecordReader open(String file, FileCompression compression) {
      return TfRecords.open(file, compression, 0);
    }

    @Override
    List<Tensor> read(byte[][] records, int first, List<DataType> types)
        throws InvalidProtocolBufferException {
      List<Tensor> row = new ArrayList<>(types.size());
      for (int component = 0; component < types.size(); component++) {
        row.add(TensorProtos.read(TensorProto.parseFrom(records[first + component])));
      }
      return row;
    }

    @Override
    List<byte[]> write(List<Tensor> row) {
      List<byte[]> records = new ArrayList<>(row.size());
      for (Tensor component : row) {
        records.add(TensorProtos.write(component).toByteArray());
      }
      return records;
    }
  },

  /** A SnapshotRecord for each row (versions 0 and 1). */
  ROWS {
    @Override
    int records(int components) {
      return 1;
    }

    @Override
    RecordReader open(String file, FileCompression compression) {
      return LengthPrefixedRecords.open(file, compression);
    }

    @Override
    List<Tensor> read(byte[][] records, int first, List<DataType> types)
        throws InvalidProtocolBufferException {
      List<Tensor> row = new ArrayList<>(types.size());
      for (TensorProto component : SnapshotRecord.parseFrom(records[first]).getTensorList()) {
        row.add(TensorProtos.read(component));
      }
      return row;
    }

    @Override
    List<byte[]> write(List<Tensor> row) {
      SnapshotRecord.Builder record = SnapshotRecord.newBuilder();
      row.forEach(component -> record.addTensor(TensorProtos.write(component)));
      return List.of(record.build().toByteArray());
    }
  },

  /**
   * Two records for each row (version 1 with Snappy): the shapes and sizes of its components, and
   * one block of their bytes. Numbers are raw; other components are TensorProtos.
   */
  SNAPPY_ROWS {
    @Override
    int records(int components) {
      return 2;
    }

    @Override
    RecordReader open(String file, FileCompression compression) {
      return LengthPrefixedRecords.open(file, fileCompression(compression));
    }

    @Override
    FileCompression fileCompression(FileCompression compression) {
      return FileCompression.NONE;
    }

    @Override
    List<Tensor> read(byte[][] records, int first, List<DataType> types)
        throws InvalidProtocolBufferException {
      SnapshotTensorMetadata metadata = SnapshotTensorMetadata.parseFrom(records[first]);
      byte[] bytes;
      try {
        bytes = SnappyBlock.uncompress(records[first + 1]);
      } catch (ZipException e) {
        throw new StatusException(StatusCode.DATA_LOSS, "it holds no Snappy block: " + e, e);
      }
      checkSizes(metadata, bytes.length);
      List<Tensor> row = new ArrayList<>(types.size());
      int at = 0;
      for (int i = 0; i < Math.min(types.size(), metadata.getTensorMetadataCount()); i++) {
        TensorMetadata component = metadata.getTensorMetadata(i);
        int size = (int) component.getTensorSizeBytes();
        row.add(
            component(types.get(i), component, UnsafeByteOperations.unsafeWrap(bytes, at, size)));
        at += size;
      }
      return row;
    }

    @Override
    List<byte[]> write(List<Tensor> row) {
      SnapshotTensorMetadata.Builder metadata = SnapshotTensorMetadata.newBuilder();
      ByteString bytes = ByteString.EMPTY;
      for (Tensor component : row) {
        TensorProto proto = TensorProtos.write(component);
        ByteString part =
            component.dtype().kind().isFixedWidth()
                ? proto.getTensorContent()
                : proto.toByteString();
        metadata
            .addTensorMetadataBuilder()
            .setTensorShape(proto.getTensorShape())
            .setTensorSizeBytes(part.size());
        bytes = bytes.concat(part);
      }
      return List.of(metadata.build().toByteArray(), SnappyBlock.compress(bytes.toByteArray()));
    }
  };

  /** The version of TensorFlow's first snapshots. */
  static final int FIRST_VERSION = 1;

  /**
   * The format of snapshots of {@code version}; INVALID_ARGUMENT, with TensorFlow's message, if
   * there is none.
   */
  static RowFormat of(long version, FileCompression compression) {
    if (version == SnapshotMetadata.VERSION) {
      return TENSORS;
    }
    if (version != 0 && version != FIRST_VERSION) {
      throw StatusException.invalidArgument(
          "Snapshot reader version: %d is not supported.", version);
    }
    return version == FIRST_VERSION && compression == FileCompression.SNAPPY ? SNAPPY_ROWS : ROWS;
  }

  private static void checkSizes(SnapshotTensorMetadata metadata, int bytes) {
    long total = 0;
    for (TensorMetadata component : metadata.getTensorMetadataList()) {
      long size = component.getTensorSizeBytes();
      total = size < 0 || size > bytes - total ? Long.MAX_VALUE : total + size;
      if (total == Long.MAX_VALUE) {
        break;
      }
    }
    if (total != bytes) {
      throw StatusException.of(
          StatusCode.DATA_LOSS, "a block holds %d bytes, and its metadata claims others", bytes);
    }
  }

  private static Tensor component(DataType type, TensorMetadata metadata, ByteString bytes)
      throws InvalidProtocolBufferException {
    if (!type.kind().isFixedWidth()) {
      return TensorProtos.read(TensorProto.parseFrom(bytes));
    }
    if (bytes.isEmpty() && TensorProtos.shape(metadata.getTensorShape()).elements() != 0) {
      throw StatusException.of(StatusCode.DATA_LOSS, "a component has no bytes");
    }
    return TensorProtos.read(
        TensorProto.newBuilder()
            .setDtypeValue(type.number())
            .setTensorShape(metadata.getTensorShape())
            .setTensorContent(bytes)
            .build());
  }

  /** The compression of a whole file in a snapshot with {@code compression}. */
  FileCompression fileCompression(FileCompression compression) {
    return compression;
  }

  /** The records of a row with {@code components} components. */
  abstract int records(int components);

  /** Opens {@code file}; NOT_FOUND, naming it, if it does not exist. */
  abstract RecordReader open(String file, FileCompression compression);

  /**
   * The row in the records from {@code first} on, whose components should be of {@code types}.
   *
   * @throws InvalidProtocolBufferException if a record can't be parsed
   * @throws StatusException if a tensor is invalid; RESOURCE_EXHAUSTED if it is too large
   */
  abstract List<Tensor> read(byte[][] records, int first, List<DataType> types)
      throws InvalidProtocolBufferException;

  /** The records of {@code row}; FAILED_PRECONDITION if a component cannot leave its process. */
  abstract List<byte[]> write(List<Tensor> row);
}
