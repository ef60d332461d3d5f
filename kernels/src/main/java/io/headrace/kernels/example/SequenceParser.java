package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.example.SequenceWire.Place;
import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses features and feature lists out of serialized sequence examples. Immutable. */
final class SequenceParser {
  private final List<SequenceFeature> context;
  private final List<SequenceFeature> lists;
  private final ExampleIndex contextIndex;
  private final ExampleIndex listIndex;

  SequenceParser(List<SequenceFeature> context, List<SequenceFeature> lists) {
    this.context = List.copyOf(context);
    this.lists = List.copyOf(lists);
    this.contextIndex = index(context);
    this.listIndex = index(lists);
  }

  private static ExampleIndex index(List<SequenceFeature> features) {
    return new ExampleIndex(features.stream().map(f -> f.name().toByteArray()).toList());
  }

  /** What was found, feature by feature. */
  record Parsed(List<SequenceBuffer> context, List<SequenceBuffer> lists) {}

  /** Parses a vector of examples, or a scalar one; {@code names} are for messages. */
  Parsed parse(Tensor serialized, @Nullable Tensor names, Cancellation stop) {
    boolean isVector = serialized.shape().rank() == 1;
    int examples = serialized.elements();
    Parsed parsed =
        new Parsed(buffers(context, examples, isVector), buffers(lists, examples, isVector));
    Place[] contextPlaces = new Place[context.size()];
    Place[] listPlaces = new Place[lists.size()];
    for (int e = 0; e < examples; e++) {
      stop.check();
      String name = names == null ? "<unknown>" : Strings.text(names.string(e));
      byte[] data = serialized.string(e);
      new SequenceWire(data, name).find(contextIndex, contextPlaces, listIndex, listPlaces);
      OneExample example = new OneExample(data, name);
      for (int i = 0; i < contextPlaces.length; i++) {
        example.addContext(contextPlaces[i], parsed.context().get(i));
      }
      for (int i = 0; i < listPlaces.length; i++) {
        example.addList(listPlaces[i], parsed.lists().get(i));
      }
    }
    return parsed;
  }

  private static List<SequenceBuffer> buffers(
      List<SequenceFeature> features, int examples, boolean isVector) {
    List<SequenceBuffer> buffers = new ArrayList<>(features.size());
    features.forEach(feature -> buffers.add(new SequenceBuffer(feature, examples, isVector)));
    return buffers;
  }

  /** One example of which features are taken. */
  private static final class OneExample {
    private static final int FEATURE_TAG = 1 << 3 | 2;

    private final byte[] data;
    private final String name;
    private final ExampleWire wire;

    OneExample(byte[] data, String name) {
      this.data = data;
      this.name = name;
      this.wire = new ExampleWire(data);
    }

    void addContext(Place place, SequenceBuffer buffer) {
      int count = count(place.start(), place.size(), buffer.feature(), -1);
      if (buffer.feature() instanceof SequenceFeature.Dense dense) {
        if (!place.isThere()) {
          buffer.addRow(defaultOf(dense));
          buffer.endExample();
          return;
        }
        checkDense(dense, count);
      }
      buffer.addRow(wire, count);
      buffer.endExample();
    }

    private static Tensor defaultOf(SequenceFeature.Dense dense) {
      Tensor value = dense.defaultValue();
      if (value.elements() == 0) {
        throw invalidArgument(
            "Feature: %s (data type: %s) is required but could not be found.",
            dense.name().toStringUtf8(), dense.dtype().tfName());
      }
      return value;
    }

    private void checkDense(SequenceFeature.Dense dense, int count) {
      int expected = dense.shape().elements();
      int most = Math.max(count, dense.defaultValue().elements());
      if (most != expected) {
        throw invalidArgument(
            "Inconsistent max number of elements for feature %s: expected %d, but found %d",
            dense.name().toStringUtf8(), expected, most);
      }
      if (count != expected) {
        throw invalidArgument("Unexpected number of elements in example %s", name);
      }
    }

    /** The number of elements of the feature there, which the wire is then at. */
    private int count(int start, int size, SequenceFeature feature, int row) {
      if (size <= 0) {
        return 0;
      }
      wire.selectFeature(start, size);
      if (wire.dtype() != feature.dtype()) {
        throw invalidArgument(
            "%s.  Data types don't match. Expected type: %s",
            place(feature, row), feature.dtype().tfName());
      }
      int count = wire.count(feature.dtype());
      if (count < 0) {
        throw invalidArgument("%s.  Can't parse serialized Example.", place(feature, row));
      }
      return count;
    }

    /** Names the context's feature, or row {@code row} of a list. */
    private String place(SequenceFeature feature, int row) {
      String key = feature.name().toStringUtf8();
      return row < 0
          ? "Name: " + name + ", Context feature: " + key
          : "Name: " + name + ", Feature list: " + key + ", Index: " + row;
    }

    void addList(Place place, SequenceBuffer buffer) {
      SequenceFeature feature = buffer.feature();
      boolean required = feature instanceof SequenceFeature.Dense d && !d.mayBeMissing();
      if (!place.isThere() && required) {
        throw invalidArgument(
            "Name: %s, Feature list '%s' is required but could not be found.  Did you mean to"
                + " include it in feature_list_dense_missing_assumed_empty or"
                + " feature_list_dense_defaults?",
            name, feature.name().toStringUtf8());
      }
      int row = 0;
      int at = place.start();
      int end = place.start() + place.size();
      while (place.isThere() && at < end) {
        long head = head(at, end, feature, row);
        int start = (int) (head >>> 32);
        int size = (int) head;
        int count = count(start, size, feature, row);
        if (feature instanceof SequenceFeature.Dense dense) {
          checkRow(dense, count, row);
        }
        buffer.addRow(wire, count);
        at = start + size;
        row++;
      }
      buffer.endExample();
    }

    private void checkRow(SequenceFeature.Dense dense, int count, int row) {
      if (count != dense.shape().elements()) {
        throw invalidArgument(
            "Name: %s, Key: %s, Index: %d.  Number of values != expected.  values size: %d but"
                + " output shape: %s",
            name, dense.name().toStringUtf8(), row, count, dense.shape());
      }
    }

    /** Where the feature at {@code from} begins, and in the lower half its size. */
    private long head(int from, int end, SequenceFeature feature, int row) {
      if (data[from] != FEATURE_TAG) {
        throw invalidArgument("%s.  Can't parse serialized Example.", place(feature, row));
      }
      long size = 0;
      int at = from + 1;
      for (int shift = 0; shift < Integer.SIZE; shift += 7) {
        if (at >= end) {
          throw invalidArgument("%s.  Can't parse serialized Example.", place(feature, row));
        }
        byte b = data[at++];
        size |= (long) (b & 0x7f) << shift;
        if (b >= 0) {
          break;
        }
      }
      if (size > end - at) {
        throw invalidArgument("%s.  Can't parse serialized Example.", place(feature, row));
      }
      return (long) at << 32 | size;
    }
  }
}
