package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AttrBounds;
import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.NumberParser;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * The weights of the words of a vocabulary's shard, raised to a power, after those of the reserved
 * classes, which are zero: the attrs of a FixedUnigramCandidateSampler.
 */
final class UnigramWeights {
  private final long range;
  private final float distortion;
  private final long shards;
  private final long shard;
  private final long reserved;
  private float[] weights = new float[16];
  private int size;
  private float total;

  /** The number of the next word: TensorFlow's first has that of the reserved classes it holds. */
  private long word;

  private UnigramWeights(Attrs attrs) {
    this.range = AttrBounds.atLeast(1, attrs, "range_max");
    this.distortion = attrs.floating("distortion");
    this.shards = AttrBounds.atLeast(1, attrs, "num_shards");
    this.shard = AttrBounds.atLeast(0, attrs, "shard");
    this.reserved = ofShard(attrs.integer("num_reserved_ids"));
    this.word = reserved;
  }

  /** The number of classes below {@code end} that are in the shard. */
  private long ofShard(long end) {
    return shard >= shards || end <= shard ? 0 : (end - shard - 1) / shards + 1;
  }

  /** The distribution of the weights in the attr {@code unigrams}. */
  static FixedUnigrams ofAttr(Attrs attrs) {
    UnigramWeights weights = new UnigramWeights(attrs);
    for (float weight : attrs.floats("unigrams")) {
      if (weights.takesNext()) {
        weights.add(weight);
      }
    }
    return weights.distribution();
  }

  /** The distribution of the weights in the file of the attr {@code vocab_file}. */
  static FixedUnigrams ofFile(Attrs attrs) {
    UnigramWeights weights = new UnigramWeights(attrs);
    weights.addLines(DataFiles.read(attrs.string("vocab_file")));
    return weights.distribution();
  }

  /** Adds the last field of each line that is not empty. */
  private void addLines(byte[] content) {
    int from = 0;
    while (from < content.length) {
      int end = from;
      while (end < content.length && content[end] != '\n') {
        end++;
      }
      int to = end > from && end < content.length && content[end - 1] == '\r' ? end - 1 : end;
      if (to > from && takesNext()) {
        add(weight(Arrays.copyOfRange(content, from, to)));
      }
      from = end + 1;
    }
  }

  private static float weight(byte[] line) {
    int field = line.length;
    while (field > 0 && line[field - 1] != ',') {
      field--;
    }
    OptionalDouble weight = NumberParser.parseFloat(Arrays.copyOfRange(line, field, line.length));
    if (weight.isEmpty()) {
      throw invalidArgument("Wrong vocabulary format at line: %s", ByteStrings.text(line));
    }
    return (float) weight.getAsDouble();
  }

  /** Passes to the next word, and tells whether it is in the shard. */
  private boolean takesNext() {
    return word++ % shards == shard;
  }

  private void add(float weight) {
    if (size == weights.length) {
      weights = Arrays.copyOf(weights, 2 * size);
    }
    float distorted = (float) Math.pow(weight, distortion);
    weights[size++] = distorted;
    total += distorted;
  }

  /** RESOURCE_EXHAUSTED if the distribution of so many classes is larger than a tensor may be. */
  private static void checkMemory(long classes) {
    long bytes = classes * (Float.BYTES + AliasTable.BYTES_PER_INDEX);
    if (bytes > TensorLimit.maxBytes()) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "a distribution of %d classes takes %d bytes, which passes the bound of %d bytes for one"
              + " tensor",
          classes,
          bytes,
          TensorLimit.maxBytes());
    }
  }

  private FixedUnigrams distribution() {
    if (range != reserved + size) {
      throw invalidArgument(
          "range is %d must be equal to weights size  %d", range, reserved + size);
    }
    checkMemory(Shape.of(range).elements());
    float[] all = new float[(int) range];
    System.arraycopy(weights, 0, all, (int) reserved, size);
    return new FixedUnigrams(all, total);
  }
}
