package io.headrace.kernels.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.BundleEntryProto;
import io.headrace.proto.tensorflow.BundleHeaderProto;
import io.headrace.proto.tensorflow.TensorSliceProto;
import io.headrace.proto.tensorflow.VersionDef;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads a V2 checkpoint (see {@link BundleWriter}) of any number of data files, and assembles
 * slices on demand. A missing tensor or file is NOT_FOUND; a mismatch of a checksum or a size is
 * DATA_LOSS. Used by one thread.
 */
final class BundleReader implements AutoCloseable {
  /** The format version of this reader, compared with the header's {@code min_consumer}. */
  private static final int VERSION = 1;

  private final String prefix;
  private final SstableReader table;
  private final BundleHeaderProto header;
  private final Map<Integer, RandomAccessInput> shards = new HashMap<>();

  private BundleReader(String prefix, SstableReader table, BundleHeaderProto header) {
    this.prefix = prefix;
    this.table = table;
    this.header = header;
  }

  /** Whether the V2 checkpoint {@code prefix} exists. */
  public static boolean exists(String prefix) {
    return DataFiles.exists(CheckpointFiles.index(prefix));
  }

  /** Opens the checkpoint {@code prefix}. */
  public static BundleReader open(String prefix) {
    SstableReader table = SstableReader.open(CheckpointFiles.index(prefix));
    try {
      return new BundleReader(prefix, table, header(prefix, table));
    } catch (RuntimeException e) {
      table.close();
      throw e;
    }
  }

  private static BundleHeaderProto header(String prefix, SstableReader table) {
    BundleHeaderProto header;
    try {
      header = parse(prefix, "", table.get(new byte[0]), BundleHeaderProto::parseFrom);
    } catch (StatusException e) {
      throw new StatusException(
          e.code(),
          ("Unable to read file (%s). Perhaps the file is corrupt or was produced by a newer"
                  + " version of TensorFlow with format changes: %s")
              .formatted(CheckpointFiles.index(prefix), e.message()),
          e);
    }
    VersionDef version = header.getVersion();
    if (version.getMinConsumer() > VERSION || version.getBadConsumersList().contains(VERSION)) {
      throw StatusException.invalidArgument(
          "%s: Checkpoint min consumer version %d above current version %d",
          prefix, version.getMinConsumer(), VERSION);
    }
    if (header.getEndianness() != BundleHeaderProto.Endianness.LITTLE) {
      throw StatusException.unimplemented(
          "%s was written by a big-endian machine, which is not supported", prefix);
    }
    return header;
  }

  /** Parses a message. */
  interface Parser<T> {
    T parse(byte[] bytes) throws InvalidProtocolBufferException;
  }

  static <T> T parse(String prefix, String key, Optional<byte[]> value, Parser<T> parser) {
    if (value.isEmpty()) {
      throw StatusException.of(
          StatusCode.DATA_LOSS, "%s has no entry for the key '%s'", prefix, key);
    }
    try {
      return parser.parse(value.get());
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS, "%s: Entry for key %s not parseable.".formatted(prefix, key), e);
    }
  }

  BundleHeaderProto header() {
    return header;
  }

  SstableReader table() {
    return table;
  }

  private BundleEntryProto entry(String name) {
    var value = name.isEmpty() ? Optional.<byte[]>empty() : table.get(name.getBytes(UTF_8));
    if (value.isEmpty()) {
      throw StatusException.of(StatusCode.NOT_FOUND, "Key %s not found in checkpoint", name);
    }
    return parse(prefix, name, value, BundleEntryProto::parseFrom);
  }

  /** The dtype of the tensor {@code name}. */
  public DataType dtype(String name) {
    return DataType.ofNumber(entry(name).getDtypeValue());
  }

  private Shape shape(String key, BundleEntryProto entry) {
    Shape shape = TensorProtos.shape(entry.getShape());
    if (!shape.isKnown()) {
      throw StatusException.of(
          StatusCode.DATA_LOSS, "%s: Invalid tensor shape: %s %s", prefix, key, shape);
    }
    return shape;
  }

  /** The whole tensor {@code name}. */
  public Tensor read(String name) {
    BundleEntryProto entry = entry(name);
    Shape shape = shape(name, entry);
    return entry.getSlicesCount() == 0
        ? data(name, entry)
        : slice(name, entry, TensorSlice.full(shape.rank()));
  }

  /**
   * A slice of the tensor {@code name}; INVALID_ARGUMENT if the tensor's shape differs from that in
   * {@code part}.
   */
  public Tensor read(String name, ShapeAndSlice part) {
    BundleEntryProto entry = entry(name);
    Shape shape = shape(name, entry);
    if (!shape.equals(part.shape())) {
      throw StatusException.invalidArgument(
          "tensor_name = %s; shape in shape_and_slice spec %s does not match the shape stored in"
              + " checkpoint: %s",
          name, part.shape(), shape);
    }
    return entry.getSlicesCount() == 0 && part.isWhole()
        ? data(name, entry)
        : slice(name, entry, part.slice());
  }

  /** The tensor {@code name} that {@code entry}, which lists no slices, locates. */
  Tensor whole(String name, BundleEntryProto entry) {
    return data(name, entry);
  }

  private Tensor slice(String name, BundleEntryProto entry, TensorSlice wanted) {
    TensorSliceSet assembly = new TensorSliceSet(shape(name, entry));
    boolean isUnsliced = entry.getSlicesCount() == 0;
    if (isUnsliced) {
      assembly.add(TensorSlice.full(assembly.shape().rank()));
    }
    for (TensorSliceProto slice : entry.getSlicesList()) {
      assembly.add(TensorSlice.of(slice));
    }
    Function<TensorSlice, Tensor> reader =
        stored -> isUnsliced ? data(name, entry) : part(name, stored, entry, assembly.shape());
    return assembly.read(name, DataType.ofNumber(entry.getDtypeValue()), wanted, reader);
  }

  private Tensor part(String name, TensorSlice stored, BundleEntryProto whole, Shape shape) {
    String key = name + " " + stored;
    BundleEntryProto entry =
        parse(prefix, key, table.get(stored.key(name)), BundleEntryProto::parseFrom);
    if (entry.getDtypeValue() != whole.getDtypeValue()
        || !shape(key, entry).equals(stored.shapeWithin(shape))) {
      throw StatusException.of(
          StatusCode.DATA_LOSS, "%s: the entry of %s is not of a part of it", prefix, key);
    }
    return data(key, entry);
  }

  private Tensor data(String key, BundleEntryProto entry) {
    RandomAccessInput file = shards.get(entry.getShardId());
    if (file == null) {
      file =
          RandomAccessInput.open(
              CheckpointFiles.data(prefix, entry.getShardId(), header.getNumShards()));
      shards.put(entry.getShardId(), file);
    }
    return BundleTensorCodec.read(key, entry, shape(key, entry), file);
  }

  @Override
  public void close() {
    table.close();
    shards.values().forEach(RandomAccessInput::close);
    shards.clear();
  }
}
