package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.headrace.kernels.kit.Shapes;
import io.headrace.proto.tensorflow.SequenceExample;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * ParseSingleSequenceExample, which parses one tf.SequenceExample, and ParseSequenceExample, the
 * first version of ParseSequenceExampleV2: its keys are attrs, and it has no ragged features.
 */
final class ParseSingleSequenceExampleOps {
  private static final Parser<SequenceExample> MESSAGES =
      DiscardUnknownFieldsParser.wrap(SequenceExample.parser());

  private static final String TYPES = "list({float, int64, string}) = []";

  private static final String CONTEXT_OUTPUTS =
      " -> (context_sparse_indices: Ncontext_sparse * int64,"
          + " context_sparse_values: [context_sparse_types],"
          + " context_sparse_shapes: Ncontext_sparse * int64,"
          + " context_dense_values: [Tcontext_dense],";

  private static final String LIST_OUTPUTS =
      " feature_list_sparse_indices: Nfeature_list_sparse * int64,"
          + " feature_list_sparse_values: [feature_list_sparse_types],"
          + " feature_list_sparse_shapes: Nfeature_list_sparse * int64,"
          + " feature_list_dense_values: [feature_list_dense_types]";

  private static final String[] ATTRS = {
    "Ncontext_sparse: int = 0",
    "Ncontext_dense: int = 0",
    "Nfeature_list_sparse: int = 0",
    "Nfeature_list_dense: int = 0",
    "context_sparse_types: " + TYPES,
    "Tcontext_dense: " + TYPES,
    "feature_list_dense_types: " + TYPES,
    "context_dense_shapes: list(shape) = []",
    "feature_list_sparse_types: " + TYPES,
    "feature_list_dense_shapes: list(shape) = []"
  };

  private ParseSingleSequenceExampleOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ParseSingleSequenceExample(serialized: string,"
                    + " feature_list_dense_missing_assumed_empty: string,"
                    + " context_sparse_keys: Ncontext_sparse * string,"
                    + " context_dense_keys: Ncontext_dense * string,"
                    + " feature_list_sparse_keys: Nfeature_list_sparse * string,"
                    + " feature_list_dense_keys: Nfeature_list_dense * string,"
                    + " context_dense_defaults: [Tcontext_dense], debug_name: string)"
                    + CONTEXT_OUTPUTS
                    + LIST_OUTPUTS
                    + ")")
            .attrs(ATTRS)
            .shape(ParseSingleSequenceExampleOps::singleRule)
            .kernel(ParseSingleSequenceExampleOps::single),
        Op.define(
                "ParseSequenceExample(serialized: string, debug_name: string,"
                    + " context_dense_defaults: [Tcontext_dense])"
                    + CONTEXT_OUTPUTS
                    + LIST_OUTPUTS
                    + ", feature_list_dense_lengths: Nfeature_list_dense * int64)")
            .attrs(ATTRS)
            .attrs(
                "feature_list_dense_missing_assumed_empty: list(string)",
                "context_sparse_keys: list(string)",
                "context_dense_keys: list(string)",
                "feature_list_sparse_keys: list(string)",
                "feature_list_dense_keys: list(string)")
            .shape(ParseSingleSequenceExampleOps::batchRule)
            .kernel(ParseSingleSequenceExampleOps::batch));
  }

  private static List<Shape> singleRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 0);
    Shapes.withRank(in.shape(1), 1);
    Schema schema = new Schema(in.attrs());
    List<Shape> result = new ArrayList<>();
    addSparse(result, schema.contextSparse.size(), 1);
    result.addAll(schema.contextShapes);
    addSparse(result, schema.listSparse.size(), 2);
    schema.listShapes.forEach(shape -> result.add(shape.prepend(Shape.UNKNOWN_DIMENSION)));
    return result;
  }

  private static List<Shape> batchRule(ShapeFunction.Inputs in) {
    Shape input = in.shape(0).isUnknownRank() ? Shapes.ofRank(1) : in.shape(0);
    int rank = input.rank();
    Schema schema = new Schema(in.attrs());
    List<Shape> result = new ArrayList<>();
    addSparse(result, schema.contextSparse.size(), rank + 1);
    schema.contextShapes.forEach(shape -> result.add(Shapes.concat(input, shape)));
    addSparse(result, schema.listSparse.size(), rank + 2);
    schema.listShapes.forEach(
        shape -> result.add(Shapes.concat(input, shape.prepend(Shape.UNKNOWN_DIMENSION))));
    result.addAll(Collections.nCopies(schema.listShapes.size(), input));
    return result;
  }

  private static void addSparse(List<Shape> result, int count, int rank) {
    result.addAll(Collections.nCopies(count, Shape.of(Shape.UNKNOWN_DIMENSION, rank)));
    result.addAll(Collections.nCopies(count, Shapes.ofRank(1)));
    result.addAll(Collections.nCopies(count, Shape.of(rank)));
  }

  private static Kernel.Sync single(NodeSpec node) {
    Schema schema = new Schema(node.attrs());
    return call -> {
      Tensor serialized = call.input(0);
      Tensor name = call.input(call.inputs() - 1);
      if (serialized.shape().rank() != 0) {
        throw invalidArgument(
            "Expected serialized to be a scalar, got shape: %s", serialized.shape());
      }
      if (name.shape().rank() != 0) {
        throw invalidArgument("Expected debug_name to be a scalar, got shape: %s", name.shape());
      }
      Tensor missing = call.input(1);
      if (missing.shape().rank() != 1) {
        throw invalidArgument(
            "Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: %s",
            missing.shape());
      }
      Keys keys = Keys.of(call, schema);
      int defaults = 2 + keys.count();
      SequenceExampleParser parser =
          new SequenceExampleParser(
              schema.context(keys, i -> call.input(defaults + i)),
              schema.lists(keys, new HashSet<>(strings(missing))));
      Tensor shownName = name.string(0).length > 0 ? name : null;
      new SequenceExampleOutputs(call)
          .set(parser.parse(canonical(serialized), shownName, call.cancellation()), false);
    };
  }

  /** The message as protobuf reads it: unlike the parser, it skips unknown fields anywhere. */
  private static Tensor canonical(Tensor serialized) {
    byte[] bytes = serialized.string(0);
    try {
      return Tensor.scalar(MESSAGES.parseFrom(bytes).toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Could not parse example input of %d bytes: %s".formatted(bytes.length, e.getMessage()),
          e);
    }
  }

  private static Kernel.Sync batch(NodeSpec node) {
    Attrs attrs = node.attrs();
    Schema schema = new Schema(attrs);
    Keys keys =
        new Keys(
            utf8(attrs.strings("context_sparse_keys")),
            utf8(attrs.strings("context_dense_keys")),
            utf8(attrs.strings("feature_list_sparse_keys")),
            utf8(attrs.strings("feature_list_dense_keys")));
    schema.check(keys);
    Set<ByteString> missing =
        new HashSet<>(utf8(attrs.strings("feature_list_dense_missing_assumed_empty")));
    List<SequenceExampleFeature> lists = schema.lists(keys, missing);
    return call -> {
      Tensor serialized = call.input(0);
      Tensor names = call.input(1);
      SequenceExampleParser.checkShapes(serialized, names);
      SequenceExampleParser parser =
          new SequenceExampleParser(schema.context(keys, i -> call.input(2 + i)), lists);
      Tensor shownNames = names.elements() > 0 ? names : null;
      new SequenceExampleOutputs(call)
          .set(parser.parse(serialized, shownNames, call.cancellation()), true);
    };
  }

  private static List<ByteString> utf8(List<String> keys) {
    return keys.stream().map(ByteString::copyFromUtf8).toList();
  }

  private static List<ByteString> strings(Tensor tensor) {
    List<ByteString> strings = new ArrayList<>();
    for (int i = 0; i < tensor.elements(); i++) {
      strings.add(ByteString.copyFrom(tensor.string(i)));
    }
    return strings;
  }

  /** The keys of the features of each kind. */
  private record Keys(
      List<ByteString> contextSparse,
      List<ByteString> contextDense,
      List<ByteString> listSparse,
      List<ByteString> listDense) {
    /** The keys in the inputs of ParseSingleSequenceExample. */
    static Keys of(KernelCall call, Schema schema) {
      int next = 2;
      List<List<ByteString>> keys = new ArrayList<>();
      for (int count : schema.counts()) {
        List<ByteString> kind = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          Tensor key = call.input(next++);
          if (key.elements() != 1) {
            throw invalidArgument("Expected a key to be a scalar, got shape: %s", key.shape());
          }
          kind.add(ByteString.copyFrom(key.string(0)));
        }
        keys.add(kind);
      }
      return new Keys(keys.get(0), keys.get(1), keys.get(2), keys.get(3));
    }

    int count() {
      return contextSparse.size() + contextDense.size() + listSparse.size() + listDense.size();
    }
  }

  /** The dtypes and shapes of the features. */
  private static final class Schema {
    private final List<DataType> contextSparse;
    private final List<DataType> contextDense;
    private final List<DataType> listSparse;
    private final List<DataType> listDense;
    private final List<Shape> contextShapes;
    private final List<Shape> listShapes;

    Schema(Attrs attrs) {
      this.contextSparse = attrs.types("context_sparse_types");
      this.contextDense = attrs.types("Tcontext_dense");
      this.listSparse = attrs.types("feature_list_sparse_types");
      this.listDense = attrs.types("feature_list_dense_types");
      this.contextShapes = attrs.shapes("context_dense_shapes");
      this.listShapes = attrs.shapes("feature_list_dense_shapes");
      checkCount("context_sparse_types", contextSparse, attrs.integer("Ncontext_sparse"));
      checkCount("Tcontext_dense", contextDense, attrs.integer("Ncontext_dense"));
      checkCount("feature_list_sparse_types", listSparse, attrs.integer("Nfeature_list_sparse"));
      checkCount("feature_list_dense_types", listDense, attrs.integer("Nfeature_list_dense"));
      checkCount("context_dense_shapes", contextShapes, contextDense.size());
      checkCount("feature_list_dense_shapes", listShapes, listDense.size());
    }

    private static void checkCount(String name, List<?> values, long count) {
      if (values.size() != count) {
        throw invalidArgument("len(%s) must be %d, and is %d", name, count, values.size());
      }
    }

    void check(Keys keys) {
      checkCount("context_sparse_keys", keys.contextSparse, contextSparse.size());
      checkCount("context_dense_keys", keys.contextDense, contextDense.size());
      checkCount("feature_list_sparse_keys", keys.listSparse, listSparse.size());
      checkCount("feature_list_dense_keys", keys.listDense, listDense.size());
    }

    List<Integer> counts() {
      return List.of(
          contextSparse.size(), contextDense.size(), listSparse.size(), listDense.size());
    }

    List<SequenceExampleFeature> context(Keys keys, IntFunction<Tensor> defaults) {
      List<SequenceExampleFeature> features = new ArrayList<>();
      for (int i = 0; i < contextSparse.size(); i++) {
        features.add(
            new SequenceExampleFeature.Sparse(keys.contextSparse.get(i), contextSparse.get(i)));
      }
      for (int i = 0; i < contextDense.size(); i++) {
        features.add(
            SequenceExampleFeature.contextDense(
                keys.contextDense.get(i),
                i,
                contextDense.get(i),
                contextShapes.get(i),
                defaults.apply(i)));
      }
      return features;
    }

    List<SequenceExampleFeature> lists(Keys keys, Set<ByteString> missing) {
      List<SequenceExampleFeature> features = new ArrayList<>();
      for (int i = 0; i < listSparse.size(); i++) {
        features.add(new SequenceExampleFeature.Sparse(keys.listSparse.get(i), listSparse.get(i)));
      }
      for (int i = 0; i < listDense.size(); i++) {
        ByteString key = keys.listDense.get(i);
        features.add(
            SequenceExampleFeature.listDense(
                key, listDense.get(i), listShapes.get(i), missing.contains(key)));
      }
      return features;
    }
  }
}
