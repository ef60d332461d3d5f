package io.headrace.kernels.checkpoint;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.BundleEntryProto;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorContent;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.Variant;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Encodes and decodes a tensor's elements in a data file
 * (tensorflow/core/util/tensor_bundle/tensor_bundle.cc).
 *
 * <ul>
 *   <li>Numbers: little-endian, row-major.
 *   <li>Strings: the lengths as varints, a masked checksum of the lengths, the bytes.
 *   <li>Variants: for each element a varint length, the serialized message, and a masked checksum
 *       of all bytes so far.
 * </ul>
 *
 * <p>Checksums cover a length as a fixed-width number: four bytes for a string shorter than 4 GiB,
 * eight for a variant.
 */
final class BundleTensorCodec {
  /** The buffer size for numbers, in bytes; a multiple of every element size. */
  private static final int BUFFER_BYTES = 1 << 20;

  private BundleTensorCodec() {}

  /** The size of the written data and its masked checksum. */
  record Written(long bytes, int maskedCrc) {}

  /** Writes the elements of {@code tensor}. */
  static Written write(Tensor tensor, AtomicFile file) {
    return switch (tensor.dtype()) {
      case STRING -> writeStrings(tensor, file);
      case VARIANT -> writeVariants(tensor, file);
      case RESOURCE ->
          throw StatusException.invalidArgument("a handle of a resource cannot be saved");
      default -> writeNumbers(tensor, file);
    };
  }

  private static Written writeNumbers(Tensor tensor, AtomicFile file) {
    ElementKind kind = tensor.dtype().kind();
    int slotBytes = kind.elementBytes() / kind.slots();
    int slots = tensor.elements() * kind.slots();
    CRC32C crc = new CRC32C();
    byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, (long) slots * slotBytes)];
    for (int done = 0; done < slots; ) {
      int count = Math.min(slots - done, BUFFER_BYTES / slotBytes);
      TensorContent.writeNumbers(
          TensorMemory.array(tensor),
          TensorMemory.offset(tensor) * kind.slots() + done,
          count,
          MemorySegment.ofArray(buffer),
          0);
      file.write(buffer, 0, count * slotBytes);
      crc.update(buffer, 0, count * slotBytes);
      done += count;
    }
    return new Written((long) slots * slotBytes, MaskedCrc32c.mask(crc));
  }

  private static Written writeStrings(Tensor tensor, AtomicFile file) {
    CRC32C crc = new CRC32C();
    ByteArrayOutputStream lengths = new ByteArrayOutputStream(tensor.elements() + 4);
    for (int i = 0; i < tensor.elements(); i++) {
      Varints.write(lengths, tensor.string(i).length);
      crc.update(fixed32(tensor.string(i).length));
    }
    byte[] lengthsCrc = fixed32(MaskedCrc32c.mask(crc));
    lengths.writeBytes(lengthsCrc);
    crc.update(lengthsCrc);
    file.write(lengths.toByteArray(), 0, lengths.size());
    long bytes = lengths.size();
    for (int i = 0; i < tensor.elements(); i++) {
      byte[] string = tensor.string(i);
      file.write(string, 0, string.length);
      crc.update(string);
      bytes += string.length;
    }
    return new Written(bytes, MaskedCrc32c.mask(crc));
  }

  private static Written writeVariants(Tensor tensor, AtomicFile file) {
    CRC32C crc = new CRC32C();
    long bytes = 0;
    for (int i = 0; i < tensor.elements(); i++) {
      if (!(tensor.reference(i) instanceof Variant variant)) {
        throw StatusException.invalidArgument(
            "a variant that holds a %s cannot be saved",
            tensor.reference(i).getClass().getSimpleName());
      }
      ByteArrayOutputStream element = new ByteArrayOutputStream();
      byte[] message = variant.encode().toByteArray();
      Varints.write(element, message.length);
      element.writeBytes(message);
      crc.update(fixed64(message.length));
      crc.update(message);
      byte[] soFar = fixed32(MaskedCrc32c.mask(crc));
      crc.update(soFar);
      element.writeBytes(soFar);
      file.write(element.toByteArray(), 0, element.size());
      bytes += element.size();
    }
    return new Written(bytes, MaskedCrc32c.mask(crc));
  }

  private static byte[] fixed32(int value) {
    byte[] bytes = new byte[Integer.BYTES];
    SstableFormat.INT.set(bytes, 0, value);
    return bytes;
  }

  private static byte[] fixed64(long value) {
    byte[] bytes = new byte[Long.BYTES];
    SstableFormat.LONG.set(bytes, 0, value);
    return bytes;
  }

  /**
   * Reads the tensor of {@code shape} that {@code entry} locates; {@code key} names it in messages.
   * DATA_LOSS if it is truncated or its checksum does not match.
   */
  static Tensor read(String key, BundleEntryProto entry, Shape shape, RandomAccessInput file) {
    DataType dtype = DataType.ofNumber(entry.getDtypeValue());
    CRC32C crc = new CRC32C();
    if (entry.getOffset() < 0
        || entry.getSize() < 0
        || entry.getSize() > file.size() - entry.getOffset()) {
      throw file.dataLoss(
          "%s should have %d bytes from %d on, and the file has %d",
          key, entry.getSize(), entry.getOffset(), file.size());
    }
    Tensor result =
        switch (dtype) {
          case STRING -> readStrings(entry, shape, file, crc);
          case VARIANT -> readVariants(entry, shape, file, crc);
          case RESOURCE -> throw file.dataLoss("%s is a handle of a resource", key);
          default -> readNumbers(key, entry, shape, file, crc);
        };
    int stored = MaskedCrc32c.unmask(entry.getCrc32C());
    if (stored != (int) crc.getValue()) {
      throw file.dataLoss(
          "%s: Checksum does not match: stored %s vs. calculated on the restored bytes %d",
          key, Integer.toUnsignedString(stored), crc.getValue());
    }
    return result;
  }

  private static Tensor readNumbers(
      String key, BundleEntryProto entry, Shape shape, RandomAccessInput file, CRC32C crc) {
    DataType dtype = DataType.ofNumber(entry.getDtypeValue());
    long expected = (long) shape.elements() * dtype.byteSize();
    if (entry.getSize() != expected) {
      throw file.dataLoss(
          "Invalid size in bundle entry: key %s; stored size %d; expected size %d",
          key, entry.getSize(), expected);
    }
    Object array = TensorLimit.allocate(dtype, shape);
    int slotBytes = dtype.byteSize() / dtype.kind().slots();
    int slots = shape.elements() * dtype.kind().slots();
    byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, expected)];
    for (int done = 0; done < slots; ) {
      int count = Math.min(slots - done, BUFFER_BYTES / slotBytes);
      file.read(entry.getOffset() + (long) done * slotBytes, buffer, count * slotBytes);
      crc.update(buffer, 0, count * slotBytes);
      TensorContent.readNumbers(MemorySegment.ofArray(buffer), 0, array, done, count);
      done += count;
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private static Tensor readStrings(
      BundleEntryProto entry, Shape shape, RandomAccessInput file, CRC32C crc) {
    BundleEntryInput in = new BundleEntryInput(file, entry);
    in.require(shape.elements());
    byte[][] strings = (byte[][]) TensorLimit.allocate(DataType.STRING, shape);
    int[] lengths = new int[strings.length];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = in.length();
      crc.update(fixed32(lengths[i]));
    }
    checkSum(in, crc, "The length checksum does not match");
    for (int i = 0; i < lengths.length; i++) {
      strings[i] = in.bytes(lengths[i]);
      crc.update(strings[i]);
    }
    return Tensor.wrap(DataType.STRING, shape, strings);
  }

  private static Tensor readVariants(
      BundleEntryProto entry, Shape shape, RandomAccessInput file, CRC32C crc) {
    BundleEntryInput in = new BundleEntryInput(file, entry);
    in.require(shape.elements());
    Object[] variants = (Object[]) TensorLimit.allocate(DataType.VARIANT, shape);
    for (int i = 0; i < variants.length; i++) {
      int length = in.length();
      byte[] message = in.bytes(length);
      crc.update(fixed64(length));
      crc.update(message);
      checkSum(in, crc, "The checksum after Variant " + i + " does not match");
      try {
        variants[i] = new Variant.Encoded(VariantTensorDataProto.parseFrom(message));
      } catch (InvalidProtocolBufferException e) {
        throw new StatusException(
            StatusCode.DATA_LOSS, file.name() + ": Unable to parse VariantTensorDataProto", e);
      }
    }
    return Tensor.wrap(DataType.VARIANT, shape, variants);
  }

  private static void checkSum(BundleEntryInput in, CRC32C crc, String message) {
    byte[] stored = in.bytes(Integer.BYTES);
    if ((int) SstableFormat.INT.get(stored, 0) != MaskedCrc32c.mask(crc)) {
      throw in.file().dataLoss("%s", message);
    }
    crc.update(stored);
  }
}
