package io.headrace.kernels.text;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.headrace.kernels.kit.AttrBounds;
import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.SipHash;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.ToLongFunction;

/** StringToHashBucket and its variants Fast and Strong: strings to int64 bucket numbers. */
public final class StringToHashBucketOps {
  private static final long MURMUR_SEED = 0xDECAFCAFFEL;
  private static final long MURMUR_MULTIPLIER = 0xc6a4a7935bd1e995L;
  private static final int MURMUR_SHIFT = 47;

  private static final HashFunction FINGERPRINT = Hashing.farmHashFingerprint64();

  private StringToHashBucketOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringToHashBucketFast(input: string) -> output: int64")
            .attrs("num_buckets: int")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> buckets(node.attrs(), StringToHashBucketOps::fingerprint)),
        Op.define("StringToHashBucketStrong(input: string) -> output: int64")
            .attrs("num_buckets: int", "key: list(int)")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> {
              SipHash keyed = keyed(node.attrs().integers("key"));
              return buckets(node.attrs(), keyed::hash);
            }),
        Op.define("StringToHashBucket(string_tensor: string) -> output: int64")
            .attrs("num_buckets: int")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> buckets(node.attrs(), StringToHashBucketOps::murmur)));
  }

  /** TensorFlow's Fingerprint64 of {@code bytes}: FarmHash's 64-bit fingerprint. */
  public static long fingerprint(byte[] bytes) {
    return FINGERPRINT.hashBytes(bytes).asLong();
  }

  private static SipHash keyed(List<Long> key) {
    if (key.size() != 2) {
      throw StatusException.invalidArgument("Key must have 2 elements");
    }
    return new SipHash(key.get(0), key.get(1));
  }

  private static PerElement buckets(Attrs attrs, ToLongFunction<byte[]> hash) {
    long buckets = AttrBounds.atLeast(1, attrs, "num_buckets");
    return new PerElement(input -> {
      long[] result = (long[]) TensorLimit.allocate(DataType.INT64, input.shape());
      for (int i = 0; i < result.length; i++) {
        result[i] = Long.remainderUnsigned(hash.applyAsLong(input.string(i)), buckets);
      }
      return Tensor.wrap(DataType.INT64, input.shape(), result);
    });
  }

  /** MurmurHash64A (Austin Appleby, public domain) with TensorFlow's seed. */
  private static long murmur(byte[] bytes) {
    ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long hash = MURMUR_SEED ^ (bytes.length * MURMUR_MULTIPLIER);
    while (data.remaining() >= Long.BYTES) {
      long word = data.getLong() * MURMUR_MULTIPLIER;
      hash = (hash ^ mix(word)) * MURMUR_MULTIPLIER;
    }
    if (data.hasRemaining()) {
      long tail = 0;
      for (int shift = 0; data.hasRemaining(); shift += Byte.SIZE) {
        tail |= (data.get() & 0xffL) << shift;
      }
      hash = (hash ^ tail) * MURMUR_MULTIPLIER;
    }
    hash = mix(hash);
    return hash ^ (hash >>> MURMUR_SHIFT);
  }

  private static long mix(long word) {
    return (word ^ (word >>> MURMUR_SHIFT)) * MURMUR_MULTIPLIER;
  }
}
