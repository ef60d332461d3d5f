package io.headrace.kernels.variant;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.proto.data.CompressedComponentMetadata;
import io.headrace.proto.data.CompressedElement;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorContent;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.xerial.snappy.Snappy;

/**
 * Compresses and uncompresses elements in the format of tf.data's compression_utils. The bytes of
 * all components are concatenated and compressed as one raw Snappy block; the metadata has the
 * dtype, the shape and the uncompressed sizes of each component. Numbers are little-endian, strings
 * are their bytes, and components of other dtypes are a serialized TensorProto.
 */
public final class CompressedElements {
  /** The only version of the format. */
  private static final int VERSION = 0;

  /** Bound on Snappy's expansion: the densest tag takes three bytes and copies 64. */
  private static final long MAX_EXPANSION = 64;

  private CompressedElements() {}

  /**
   * Compresses {@code components} into one element.
   *
   * @throws StatusException RESOURCE_EXHAUSTED if the uncompressed bytes exceed 2 GiB;
   *     FAILED_PRECONDITION if a component cannot leave its process
   */
  public static CompressedElement compress(List<Tensor> components) {
    CompressedElement.Builder result = CompressedElement.newBuilder().setVersion(VERSION);
    List<byte[]> encoded = new ArrayList<>();
    long total = 0;
    for (Tensor component : components) {
      CompressedComponentMetadata.Builder metadata =
          result
              .addComponentMetadataBuilder()
              .setDtypeValue(component.dtype().number())
              .setTensorShape(TensorProtos.shape(component.shape()));
      total += measure(component, metadata, encoded);
    }
    if (total > Integer.MAX_VALUE - 8) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "an element of %d bytes is too large to be compressed; the bound is 2 GiB",
          total);
    }
    return result.setData(compress(gather(components, encoded, (int) total))).build();
  }

  /**
   * Adds the sizes of one component to its metadata, and its serialized form to {@code encoded} if
   * its dtype needs one. Returns the size in bytes.
   */
  private static long measure(
      Tensor component, CompressedComponentMetadata.Builder metadata, List<byte[]> encoded) {
    if (component.dtype().kind().isFixedWidth()) {
      if (component.elements() > 0) {
        metadata.addUncompressedBytes(component.byteSize());
      }
      return component.byteSize();
    }
    if (component.dtype() == DataType.STRING) {
      long total = 0;
      for (int i = 0; i < component.elements(); i++) {
        metadata.addUncompressedBytes(component.string(i).length);
        total += component.string(i).length;
      }
      return total;
    }
    byte[] proto = TensorProtos.write(component).toByteArray();
    encoded.add(proto);
    metadata.addUncompressedBytes(proto.length);
    return proto.length;
  }

  private static byte[] gather(List<Tensor> components, List<byte[]> encoded, int total) {
    byte[] bytes = new byte[total];
    int at = 0;
    int nextEncoded = 0;
    for (Tensor component : components) {
      if (component.dtype().kind().isFixedWidth()) {
        int slots = component.dtype().kind().slots();
        for (Tensor piece : TensorMemory.pieces(component)) {
          TensorContent.writeNumbers(
              TensorMemory.array(piece),
              TensorMemory.offset(piece) * slots,
              piece.elements() * slots,
              MemorySegment.ofArray(bytes),
              at);
          at += (int) piece.byteSize();
        }
      } else if (component.dtype() == DataType.STRING) {
        for (int i = 0; i < component.elements(); i++) {
          at = append(component.string(i), bytes, at);
        }
      } else {
        at = append(encoded.get(nextEncoded++), bytes, at);
      }
    }
    return bytes;
  }

  private static int append(byte[] part, byte[] bytes, int at) {
    System.arraycopy(part, 0, bytes, at, part.length);
    return at + part.length;
  }

  private static ByteString compress(byte[] bytes) {
    byte[] out = new byte[Snappy.maxCompressedLength(bytes.length)];
    try {
      int size = Snappy.compress(bytes, 0, bytes.length, out, 0);
      return UnsafeByteOperations.unsafeWrap(out, 0, size);
    } catch (IOException e) {
      throw new StatusException(StatusCode.INTERNAL, "Failed to compress using snappy.", e);
    }
  }

  /**
   * The components of {@code element}. Sizes are validated against the compressed data before any
   * allocation.
   *
   * @throws StatusException INTERNAL, as in TensorFlow, if the version is unknown, the data is
   *     corrupt or the sizes disagree; RESOURCE_EXHAUSTED if a component exceeds the tensor limit
   */
  public static List<Tensor> uncompress(CompressedElement element) {
    if (element.getVersion() != VERSION) {
      throw internal("Unsupported compressed element version: " + element.getVersion());
    }
    long total = 0;
    for (CompressedComponentMetadata metadata : element.getComponentMetadataList()) {
      total += checkedSize(metadata);
    }
    byte[] bytes = uncompress(element.getData(), total);
    List<Tensor> components = new ArrayList<>(element.getComponentMetadataCount());
    int at = 0;
    for (CompressedComponentMetadata metadata : element.getComponentMetadataList()) {
      components.add(component(metadata, bytes, at));
      at += (int) checkedSize(metadata);
    }
    return components;
  }

  /** Bytes of one component, after validation of its dtype, shape and sizes. */
  private static long checkedSize(CompressedComponentMetadata metadata) {
    long total = 0;
    for (long bytes : metadata.getUncompressedBytesList()) {
      if (bytes < 0 || bytes > TensorLimit.maxBytes() - total) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "a compressed component of %s bytes passes the bound of %d bytes for one tensor",
            Long.toUnsignedString(bytes),
            TensorLimit.maxBytes());
      }
      total += bytes;
    }
    DataType dtype = DataType.ofNumber(metadata.getDtypeValue());
    int sizes = metadata.getUncompressedBytesCount();
    if (dtype == DataType.STRING) {
      checkEqual(shape(metadata).elements(), sizes, "strings");
    } else if (dtype.kind().isFixedWidth()) {
      checkEqual((long) shape(metadata).elements() * dtype.byteSize(), total, "bytes");
    } else {
      checkEqual(1, sizes, "encoded tensors");
    }
    return total;
  }

  private static void checkEqual(long expected, long actual, String what) {
    if (expected != actual) {
      throw internal(
          "Uncompressed size mismatch. A component of its dtype and shape has %d %s whereas the"
                  .formatted(expected, what)
              + " tensor metadata suggests %d".formatted(actual));
    }
  }

  private static Shape shape(CompressedComponentMetadata metadata) {
    return TensorProtos.shape(metadata.getTensorShape());
  }

  private static byte[] uncompress(ByteString data, long total) {
    byte[] compressed = data.toByteArray();
    try {
      long size = Snappy.uncompressedLength(compressed);
      if (size != total) {
        throw internal(
            "Uncompressed size mismatch. Snappy expects %d whereas the tensor metadata suggests %d"
                .formatted(size, total));
      }
      if (total > compressed.length * MAX_EXPANSION) {
        throw internal("Failed to perform snappy decompression.");
      }
      byte[] bytes = new byte[(int) total];
      if (Snappy.uncompress(compressed, 0, compressed.length, bytes, 0) != total) {
        throw internal("Failed to perform snappy decompression.");
      }
      return bytes;
    } catch (IOException e) {
      throw new StatusException(StatusCode.INTERNAL, "Failed to perform snappy decompression.", e);
    }
  }

  private static Tensor component(CompressedComponentMetadata metadata, byte[] bytes, int at) {
    DataType dtype = DataType.ofNumber(metadata.getDtypeValue());
    if (dtype == DataType.STRING) {
      return strings(metadata, bytes, at);
    }
    if (!dtype.kind().isFixedWidth()) {
      return encoded(metadata, bytes, at);
    }
    Shape shape = shape(metadata);
    if (dtype.byteSize() == 1) {
      return Tensor.view(dtype, shape, bytes, at);
    }
    Object array = TensorLimit.allocate(dtype, shape);
    TensorContent.readNumbers(MemorySegment.ofArray(bytes), at, array);
    return Tensor.wrap(dtype, shape, array);
  }

  private static Tensor strings(CompressedComponentMetadata metadata, byte[] bytes, int from) {
    byte[][] strings = (byte[][]) TensorLimit.allocate(DataType.STRING, shape(metadata));
    int at = from;
    for (int i = 0; i < strings.length; i++) {
      strings[i] = new byte[(int) metadata.getUncompressedBytes(i)];
      System.arraycopy(bytes, at, strings[i], 0, strings[i].length);
      at += strings[i].length;
    }
    return Tensor.wrap(DataType.STRING, shape(metadata), strings);
  }

  private static Tensor encoded(CompressedComponentMetadata metadata, byte[] bytes, int at) {
    int size = (int) metadata.getUncompressedBytes(0);
    try {
      return TensorProtos.read(TensorProto.parseFrom(ByteString.copyFrom(bytes, at, size)));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(StatusCode.INTERNAL, "Could not parse TensorProto", e);
    }
  }

  private static StatusException internal(String message) {
    return new StatusException(StatusCode.INTERNAL, message);
  }
}
