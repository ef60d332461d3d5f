package io.headrace.kernels.checkpoint;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.SavedSliceMeta;
import io.headrace.proto.tensorflow.SavedTensorSlices;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorSliceProto;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a V1 checkpoint (see {@link TensorSliceWriter}): all files that match a pattern, as one.
 * Used by one thread.
 */
final class TensorSliceReader implements AutoCloseable {
  /** The stored slices of one tensor, and the file of each. */
  private record Stored(
      DataType dtype, TensorSliceSet slices, Map<TensorSlice, SstableReader> files) {}

  private final String pattern;
  private final List<SstableReader> tables = new ArrayList<>();
  private final Map<String, Stored> tensors = new HashMap<>();

  private TensorSliceReader(String pattern) {
    this.pattern = pattern;
  }

  /** Opens the files that match {@code pattern}; NOT_FOUND if none does, DATA_LOSS if damaged. */
  public static TensorSliceReader open(String pattern, Cancellation cancellation) {
    List<String> files = DataFiles.matching(pattern, cancellation);
    if (files.isEmpty()) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for %s",
          pattern);
    }
    TensorSliceReader reader = new TensorSliceReader(pattern);
    try {
      files.forEach(reader::load);
      return reader;
    } catch (RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  private void load(String file) {
    SstableReader table = table(file);
    tables.add(table);
    SavedTensorSlices found = parse(file, table, new byte[0]);
    for (SavedSliceMeta meta : found.getMeta().getTensorList()) {
      Shape shape = TensorProtos.shape(meta.getShape());
      Stored stored =
          tensors.computeIfAbsent(
              meta.getName(),
              _ ->
                  new Stored(
                      DataType.ofNumber(meta.getTypeValue()),
                      new TensorSliceSet(shape),
                      new HashMap<>()));
      if (stored.dtype.number() != meta.getTypeValue() || !stored.slices.shape().equals(shape)) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "%s has %s as %s%s, and other files of %s otherwise",
            file,
            meta.getName(),
            meta.getType(),
            shape,
            pattern);
      }
      for (TensorSliceProto proto : meta.getSliceList()) {
        TensorSlice slice = TensorSlice.of(proto);
        stored.slices.add(slice);
        stored.files.put(slice, table);
      }
    }
  }

  private static SstableReader table(String file) {
    try {
      return SstableReader.open(file);
    } catch (StatusException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS,
          ("Unable to open table file %s: %s: perhaps your file is in a different file format and"
                  + " you need to use a different restore operator?")
              .formatted(file, e.message()),
          e);
    }
  }

  private static SavedTensorSlices parse(String what, SstableReader table, byte[] key) {
    try {
      return SavedTensorSlices.parseFrom(
          table
              .get(key)
              .orElseThrow(() ->
                  StatusException.of(
                      StatusCode.DATA_LOSS, "Failed to find the saved tensor slices of %s", what)));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS, what + " has saved tensor slices that cannot be parsed", e);
    }
  }

  private Stored stored(String name) {
    Stored stored = tensors.get(name);
    if (stored == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Tensor name \"%s\" not found in checkpoint files %s",
          name,
          pattern);
    }
    return stored;
  }

  /** The dtype of the tensor {@code name}; NOT_FOUND if the checkpoint does not hold it. */
  public DataType dtype(String name) {
    return stored(name).dtype;
  }

  /** The whole tensor {@code name}. */
  public Tensor read(String name) {
    return read(name, ShapeAndSlice.whole(stored(name).slices.shape()));
  }

  /**
   * A slice of the tensor {@code name}; INVALID_ARGUMENT if the tensor's shape differs from that in
   * {@code part}.
   */
  public Tensor read(String name, ShapeAndSlice part) {
    Stored stored = stored(name);
    if (!stored.slices.shape().equals(part.shape())) {
      throw StatusException.invalidArgument(
          "Shape in shape_and_slice spec does not match the shape in the save file: %s, save file"
              + " shape: %s",
          part.shape(), stored.slices.shape());
    }
    return stored.slices.read(
        name, stored.dtype, part.slice(), slice -> slice(name, stored, slice));
  }

  private static Tensor slice(String name, Stored stored, TensorSlice slice) {
    SstableReader table = requireNonNull(stored.files.get(slice));
    SavedTensorSlices found = parse(name + " " + slice, table, slice.key(name));
    TensorProto values =
        found.getData().getData().toBuilder()
            .setDtypeValue(stored.dtype.number())
            .setTensorShape(TensorProtos.shape(slice.shapeWithin(stored.slices.shape())))
            .build();
    try {
      return TensorProtos.read(values);
    } catch (StatusException e) {
      throw e.in(name + " " + slice);
    }
  }

  @Override
  public void close() {
    tables.forEach(SstableReader::close);
  }
}
