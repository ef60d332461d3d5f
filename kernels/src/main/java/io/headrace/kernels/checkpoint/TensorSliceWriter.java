package io.headrace.kernels.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.proto.tensorflow.SavedSlice;
import io.headrace.proto.tensorflow.SavedSliceMeta;
import io.headrace.proto.tensorflow.SavedTensorSliceMeta;
import io.headrace.proto.tensorflow.SavedTensorSlices;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.VersionDef;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a V1 checkpoint, byte for byte as TensorFlow does (tensorflow/core/util/
 * tensor_slice_writer.h): one table, whose entry for the key "" lists tensors and slices, and whose
 * other entries hold the elements of a slice each. The writer keeps everything in memory until
 * {@link #finish}. Used by one thread.
 */
final class TensorSliceWriter {
  private static final VersionDef VERSION = VersionDef.newBuilder().setProducer(1).build();

  private final Map<String, SavedSliceMeta.Builder> tensors = new TreeMap<>();
  private final Map<byte[], byte[]> slices = new TreeMap<>(Arrays::compareUnsigned);

  /** A writer without tensors. */
  public TensorSliceWriter() {}

  /** Adds {@code tensor} as {@code name}. */
  public void add(String name, Tensor tensor) {
    add(name, ShapeAndSlice.whole(tensor.shape()), tensor);
  }

  /**
   * Adds {@code tensor} as a slice of the tensor {@code name}. UNIMPLEMENTED if the format cannot
   * store its dtype; INTERNAL, as in TensorFlow, if earlier slices have another dtype or full
   * shape.
   */
  public void add(String name, ShapeAndSlice part, Tensor tensor) {
    if (!isStored(tensor.dtype())) {
      throw StatusException.unimplemented(
          "Saving data type %s not yet supported", tensor.dtype().tfName());
    }
    SavedSliceMeta.Builder meta =
        tensors.computeIfAbsent(
            name,
            _ ->
                SavedSliceMeta.newBuilder()
                    .setName(name)
                    .setShape(TensorProtos.shape(part.shape()))
                    .setTypeValue(tensor.dtype().number()));
    if (meta.getTypeValue() != tensor.dtype().number()
        || !TensorProtos.shape(meta.getShape()).equals(part.shape())) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "Mismatching shapes or types: existing tensor = %s, trying to add name %s, %s%s",
          TensorProtos.shape(meta.getShape()),
          name,
          tensor.dtype().tfName(),
          part.shape());
    }
    meta.addSlice(part.slice().toProto());
    TensorProto values =
        TensorProtos.writeValues(tensor).toBuilder().clearDtype().clearTensorShape().build();
    SavedSlice slice =
        SavedSlice.newBuilder()
            .setName(name)
            .setSlice(part.slice().toProto())
            .setData(values)
            .build();
    slices.putIfAbsent(
        part.slice().key(name),
        SavedTensorSlices.newBuilder().setData(slice).build().toByteArray());
  }

  /** Whether the format stores {@code dtype}: it is older than bfloat16 and those after half. */
  private static boolean isStored(DataType dtype) {
    return dtype.number() <= DataType.FLOAT16.number() && dtype != DataType.BFLOAT16;
  }

  /** Writes everything added to {@code file}, whose directory must exist. */
  public void finish(String file) {
    SavedTensorSliceMeta.Builder meta = SavedTensorSliceMeta.newBuilder().setVersions(VERSION);
    tensors.values().stream()
        .sorted((a, b) ->
            Arrays.compareUnsigned(a.getName().getBytes(UTF_8), b.getName().getBytes(UTF_8)))
        .forEach(meta::addTensor);
    try (AtomicFile out = AtomicFile.create(file)) {
      SstableWriter table = new SstableWriter(out);
      table.add(new byte[0], SavedTensorSlices.newBuilder().setMeta(meta).build().toByteArray());
      slices.forEach(table::add);
      table.finish();
      out.commit();
    }
  }
}
