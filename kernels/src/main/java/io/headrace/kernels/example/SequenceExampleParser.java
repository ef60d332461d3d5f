package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.example.SequenceExampleWire.Span;
import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses context features and feature lists from serialized tf.SequenceExamples. Immutable. */
final class SequenceExampleParser {
  private final List<SequenceExampleFeature> context;
  private final List<SequenceExampleFeature> lists;
  private final FeatureNameIndex contextIndex;
  private final FeatureNameIndex listIndex;

  SequenceExampleParser(List<SequenceExampleFeature> context, List<SequenceExampleFeature> lists) {
    this.context = List.copyOf(context);
    this.lists = List.copyOf(lists);
    this.contextIndex = index(context);
    this.listIndex = index(lists);
  }

  private static FeatureNameIndex index(List<SequenceExampleFeature> features) {
    return new FeatureNameIndex(features.stream().map(f -> f.name().toByteArray()).toList());
  }

  /** A buffer for each context feature and for each feature list. */
  record Parsed(List<SequenceExampleBuffer> context, List<SequenceExampleBuffer> lists) {}

  /** Requires a scalar or vector of examples, and either no names or one for each example. */
  static void checkShapes(Tensor serialized, Tensor names) {
    if (serialized.shape().rank() > 1) {
      throw invalidArgument(
          "Expected serialized to be a scalar or vector, got shape: %s", serialized.shape());
    }
    if (names.elements() > 0 && !names.shape().equals(serialized.shape())) {
      throw invalidArgument(
          "Expected names have the same shape as serialized: name.shape=%s, serialized.shape=%s",
          names.shape(), serialized.shape());
    }
  }

  /** Parses a vector of examples, or a scalar; {@code names}, if given, appear in errors. */
  Parsed parse(Tensor serialized, @Nullable Tensor names, Cancellation stop) {
    boolean isVector = serialized.shape().rank() == 1;
    int examples = serialized.elements();
    Parsed parsed =
        new Parsed(buffers(context, examples, isVector), buffers(lists, examples, isVector));
    Span[] contextSpans = new Span[context.size()];
    Span[] listSpans = new Span[lists.size()];
    for (int e = 0; e < examples; e++) {
      stop.check();
      String name = names == null ? "<unknown>" : ByteStrings.text(names.string(e));
      byte[] data = serialized.string(e);
      new SequenceExampleWire(data, name).find(contextIndex, contextSpans, listIndex, listSpans);
      ExampleState example = new ExampleState(data, name);
      for (int i = 0; i < contextSpans.length; i++) {
        example.addContext(contextSpans[i], parsed.context().get(i));
      }
      for (int i = 0; i < listSpans.length; i++) {
        example.addList(listSpans[i], parsed.lists().get(i));
      }
    }
    return parsed;
  }

  private static List<SequenceExampleBuffer> buffers(
      List<SequenceExampleFeature> features, int examples, boolean isVector) {
    List<SequenceExampleBuffer> buffers = new ArrayList<>(features.size());
    features.forEach(
        feature -> buffers.add(new SequenceExampleBuffer(feature, examples, isVector)));
    return buffers;
  }

  /** The state of parsing one example. */
  private static final class ExampleState {
    private static final int FEATURE_TAG = 1 << 3 | 2;

    private final byte[] data;
    private final String name;
    private final ExampleWire wire;

    ExampleState(byte[] data, String name) {
      this.data = data;
      this.name = name;
      this.wire = new ExampleWire(data);
    }

    void addContext(Span span, SequenceExampleBuffer buffer) {
      int count = count(span.start(), span.size(), buffer.feature(), -1);
      if (buffer.feature() instanceof SequenceExampleFeature.Dense dense) {
        if (!span.isPresent()) {
          buffer.addRow(defaultOf(dense));
          buffer.endExample();
          return;
        }
        checkDense(dense, count);
      }
      buffer.addRow(wire, count);
      buffer.endExample();
    }

    private static Tensor defaultOf(SequenceExampleFeature.Dense dense) {
      Tensor value = dense.defaultValue();
      if (value.elements() == 0) {
        throw invalidArgument(
            "Feature: %s (data type: %s) is required but could not be found.",
            dense.name().toStringUtf8(), dense.dtype().tfName());
      }
      return value;
    }

    private void checkDense(SequenceExampleFeature.Dense dense, int count) {
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

    /** Selects the Feature message there; returns the number of its elements, 0 if missing. */
    private int count(int start, int size, SequenceExampleFeature feature, int row) {
      if (size <= 0) {
        return 0;
      }
      wire.selectFeature(start, size);
      if (wire.dtype() != feature.dtype()) {
        throw invalidArgument(
            "%s.  Data types don't match. Expected type: %s",
            describe(feature, row), feature.dtype().tfName());
      }
      int count = wire.count(feature.dtype());
      if (count < 0) {
        throw invalidArgument("%s.  Can't parse serialized Example.", describe(feature, row));
      }
      return count;
    }

    /** The context feature, or row {@code row} of a feature list, for error messages. */
    private String describe(SequenceExampleFeature feature, int row) {
      String key = feature.name().toStringUtf8();
      return row < 0
          ? "Name: " + name + ", Context feature: " + key
          : "Name: " + name + ", Feature list: " + key + ", Index: " + row;
    }

    void addList(Span span, SequenceExampleBuffer buffer) {
      SequenceExampleFeature feature = buffer.feature();
      boolean required = feature instanceof SequenceExampleFeature.Dense d && !d.mayBeMissing();
      if (!span.isPresent() && required) {
        throw invalidArgument(
            "Name: %s, Feature list '%s' is required but could not be found.  Did you mean to"
                + " include it in feature_list_dense_missing_assumed_empty or"
                + " feature_list_dense_defaults?",
            name, feature.name().toStringUtf8());
      }
      int row = 0;
      int at = span.start();
      int end = span.start() + span.size();
      while (span.isPresent() && at < end) {
        long head = head(at, end, feature, row);
        int start = (int) (head >>> 32);
        int size = (int) head;
        int count = count(start, size, feature, row);
        if (feature instanceof SequenceExampleFeature.Dense dense) {
          checkRow(dense, count, row);
        }
        buffer.addRow(wire, count);
        at = start + size;
        row++;
      }
      buffer.endExample();
    }

    private void checkRow(SequenceExampleFeature.Dense dense, int count, int row) {
      if (count != dense.shape().elements()) {
        throw invalidArgument(
            "Name: %s, Key: %s, Index: %d.  Number of values != expected.  values size: %d but"
                + " output shape: %s",
            name, dense.name().toStringUtf8(), row, count, dense.shape());
      }
    }

    /** Reads the tag and length at {@code from}: start of the Feature (high half) and its size. */
    private long head(int from, int end, SequenceExampleFeature feature, int row) {
      if (data[from] != FEATURE_TAG) {
        throw invalidArgument("%s.  Can't parse serialized Example.", describe(feature, row));
      }
      long size = 0;
      int at = from + 1;
      for (int shift = 0; shift < Integer.SIZE; shift += 7) {
        if (at >= end) {
          throw invalidArgument("%s.  Can't parse serialized Example.", describe(feature, row));
        }
        byte b = data[at++];
        size |= (long) (b & 0x7f) << shift;
        if (b >= 0) {
          break;
        }
      }
      if (size > end - at) {
        throw invalidArgument("%s.  Can't parse serialized Example.", describe(feature, row));
      }
      return (long) at << 32 | size;
    }
  }
}
