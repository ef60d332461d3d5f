package io.headrace.kernels.example;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Parses features from serialized tf.Examples: from a vector of them, whose values share the output
 * tensors, or from a scalar. Immutable.
 */
final class ExampleParser {
  private final List<ExampleFeature> features;
  private final FeatureNameIndex index;

  /** A parser of {@code features} with the keys {@code names}. */
  ExampleParser(List<byte[]> names, List<ExampleFeature> features) {
    this.features = List.copyOf(features);
    this.index = new FeatureNameIndex(names);
  }

  /** Whether all features are dense and of fixed shape. */
  boolean isDense() {
    return features.stream().allMatch(f -> f instanceof ExampleFeature.Dense);
  }

  /** Parses a vector of examples; {@code names}, if given, appear in error messages. */
  ParsedExamples parseVector(Tensor serialized, @Nullable Tensor names, Cancellation stop) {
    ParsedExamples out = new ParsedExamples(features, serialized.elements(), true);
    for (int i = 0; i < serialized.elements(); i++) {
      stop.check();
      String name = names == null ? "<unknown>" : ByteStrings.text(names.string(i));
      new ExampleState(serialized.string(i), i, out, new VectorErrors(name, i)).parse();
    }
    return out;
  }

  /** Parses a single example. */
  ParsedExamples parseScalar(byte[] serialized) {
    ParsedExamples out = new ParsedExamples(features, 1, false);
    new ExampleState(serialized, 0, out, new ScalarErrors()).parse();
    return out;
  }

  /** Errors, all INVALID_ARGUMENT, with TensorFlow's messages for vectors or scalars. */
  private interface Errors {
    StatusException of(String key, String problem);

    StatusException malformed(String key, DataType dtype, boolean counted);

    StatusException wrongCount(String key, ExampleFeature.Dense feature, int count);

    StatusException wrongStride(String key, ExampleFeature.Varlen feature, int count);

    StatusException missing(String key, DataType dtype);
  }

  private static String listName(DataType dtype) {
    return dtype == DataType.STRING ? "bytes" : dtype.tfName();
  }

  private record VectorErrors(String name, int example) implements Errors {
    @Override
    public StatusException of(String key, String problem) {
      return StatusException.invalidArgument(
          "Name: %s, Key: %s, Index: %d.  %s", name, key, example, problem);
    }

    @Override
    public StatusException malformed(String key, DataType dtype, boolean counted) {
      return of(key, "Can't parse serialized Example.");
    }

    @Override
    public StatusException wrongCount(String key, ExampleFeature.Dense feature, int count) {
      boolean tooManyStrings = feature.dtype() == DataType.STRING && count > feature.stride();
      return tooManyStrings
          ? malformed(key, feature.dtype(), true)
          : of(
              key,
              "Number of %s values != expected.  Values size: %d but output shape: %s"
                  .formatted(listName(feature.dtype()), count, feature.shape()));
    }

    @Override
    public StatusException wrongStride(String key, ExampleFeature.Varlen feature, int count) {
      return of(
          key,
          "Number of %s values is not a multiple of stride length. Saw %d values but output shape is: %s"
              .formatted(listName(feature.dtype()), count, feature.shape()));
    }

    @Override
    public StatusException missing(String key, DataType dtype) {
      return StatusException.invalidArgument(
          "Name: %s, Feature: %s (data type: %s) is required but could not be found.",
          name, key, dtype.tfName());
    }
  }

  private record ScalarErrors() implements Errors {
    @Override
    public StatusException of(String key, String problem) {
      return StatusException.invalidArgument("Key: %s.  %s", key, problem);
    }

    @Override
    public StatusException malformed(String key, DataType dtype, boolean counted) {
      String problem =
          counted ? "Parsing %s_list failed." : "Could not get num elements in %s_list.";
      return of(key, "Can't parse serialized Example: " + problem.formatted(listName(dtype)));
    }

    @Override
    public StatusException wrongCount(String key, ExampleFeature.Dense feature, int count) {
      boolean tooManyStrings = feature.dtype() == DataType.STRING && count > feature.stride();
      String problem =
          tooManyStrings ? "Parsing %s_list failed." : "Some %s_list slice was not parsed.";
      return of(
          key, "Can't parse serialized Example: " + problem.formatted(listName(feature.dtype())));
    }

    @Override
    public StatusException wrongStride(String key, ExampleFeature.Varlen feature, int count) {
      return StatusException.invalidArgument(
          "Error while parsing feature with key %s: number of elements should be divisible by %d,"
              + " found %d instead",
          key, feature.inner().elements(), count);
    }

    @Override
    public StatusException missing(String key, DataType dtype) {
      return StatusException.invalidArgument(
          "Feature: %s (data type: %s) is required but could not be found.", key, dtype.tfName());
    }
  }

  /** The state of parsing one example, number {@code row} of the batch. */
  private final class ExampleState {
    private final byte[] serialized;
    private final int row;
    private final ParsedExamples out;
    private final Errors errors;
    private final ExampleWire wire;
    private final boolean[] seen = new boolean[features.size()];

    ExampleState(byte[] serialized, int row, ParsedExamples out, Errors errors) {
      this.serialized = serialized;
      this.row = row;
      this.out = out;
      this.errors = errors;
      this.wire = new ExampleWire(serialized);
    }

    void parse() {
      if (!wire.readEntries()) {
        throw StatusException.invalidArgument(
            "Could not parse example input, value: '%s'", ByteStrings.text(serialized));
      }
      // Of duplicate features, the last one counts.
      for (int entry = wire.entryCount() - 1; entry >= 0; entry--) {
        int feature = index.find(serialized, wire.nameStart(entry), wire.nameSize(entry));
        if (feature >= 0) {
          read(entry, feature);
        }
      }
      for (int i = 0; i < seen.length; i++) {
        completeFeature(i);
      }
    }

    private String key(int feature) {
      return ByteStrings.text(index.name(feature));
    }

    private void read(int entry, int i) {
      if (!wire.select(entry)) {
        throw StatusException.invalidArgument("Unsupported datatype.");
      }
      ExampleFeature feature = features.get(i);
      boolean dense =
          feature instanceof ExampleFeature.Dense || feature instanceof ExampleFeature.Varlen;
      if (wire.isEmpty()) {
        seen[i] |= !dense && out.isVector();
        return;
      }
      if (seen[i]) {
        return;
      }
      seen[i] = true;
      DataType dtype = Objects.requireNonNull(wire.dtype());
      if (dtype != feature.dtype()) {
        throw errors.of(key(i), mismatch(dtype, feature.dtype(), dense));
      }
      int count = wire.count(dtype);
      if (count < 0) {
        boolean counted = dtype != DataType.STRING || feature instanceof ExampleFeature.Dense;
        throw errors.malformed(key(i), dtype, counted);
      }
      store(i, feature, count);
    }

    private static String mismatch(DataType actual, DataType expected, boolean dense) {
      String text =
          dense
              ? "Data types don't match. Data type: %2$s but expected type: %1$s"
              : "Data types don't match. Expected type: %1$s, Actual type: %2$s";
      return text.formatted(expected.tfName(), actual.tfName());
    }

    private void store(int i, ExampleFeature feature, int count) {
      switch (feature) {
        case ExampleFeature.Dense dense -> {
          if (count != dense.stride()) {
            throw errors.wrongCount(key(i), dense, count);
          }
          wire.read(out.dense(i), row * count, count);
        }
        case ExampleFeature.Varlen varlen -> {
          int stride = varlen.inner().elements();
          if (stride == 0 ? count > 0 : count % stride != 0) {
            throw errors.wrongStride(key(i), varlen, count);
          }
          out.buffer(i).append(wire, count);
        }
        case ExampleFeature.Sparse _, ExampleFeature.Ragged _ -> out.buffer(i).append(wire, count);
      }
    }

    private void completeFeature(int i) {
      if (!(features.get(i) instanceof ExampleFeature.Dense dense)) {
        out.buffer(i).endExample();
      } else if (!seen[i]) {
        Tensor value = dense.defaultValue();
        if (value.elements() == 0) {
          throw errors.missing(key(i), dense.dtype());
        }
        ElementKind kind = dense.dtype().kind();
        int size = value.elements();
        kind.copy(
            TensorMemory.array(value), TensorMemory.offset(value), out.dense(i), row * size, size);
      }
    }
  }

  /** The elements of all {@code keys}, in order. */
  static List<byte[]> names(List<Tensor> keys) {
    List<byte[]> names = new ArrayList<>();
    for (Tensor key : keys) {
      for (int i = 0; i < key.elements(); i++) {
        names.add(key.string(i));
      }
    }
    return names;
  }
}
