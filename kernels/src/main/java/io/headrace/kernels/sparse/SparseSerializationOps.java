package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.kernels.kit.Shapes;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;

/** The ops SerializeSparse, SerializeManySparse, DeserializeSparse and DeserializeManySparse. */
final class SparseSerializationOps {
  /** Elements of a serialized sparse tensor: indices, values and shape. */
  private static final int PARTS = 3;

  /** The arguments of a sparse tensor in an op signature, a format for the dtype of its values. */
  static final String SPARSE = "(sparse_indices: int64, sparse_values: %s, sparse_shape: int64)";

  private SparseSerializationOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("SerializeSparse" + SPARSE.formatted("T") + " -> serialized_sparse: out_type")
            .attrs("T: type", "out_type: {string, variant} = string")
            .shape(in -> serializeRule(in, Shape.of(PARTS)))
            .kernel(SparseSerializationOps::serializeOne),
        Op.define("SerializeManySparse" + SPARSE.formatted("T") + " -> serialized_sparse: out_type")
            .attrs("T: type", "out_type: {string, variant} = string")
            .shape(in -> serializeRule(in, Shape.of(Shape.UNKNOWN_DIMENSION, PARTS)))
            .kernel(SparseSerializationOps::serializeMany),
        Op.define(
                "DeserializeSparse(serialized_sparse: Tserialized) -> " + SPARSE.formatted("dtype"))
            .attrs("dtype: type", "Tserialized: {string, variant} = string")
            .shape(_ -> deserializeShapes())
            .kernel(node -> {
              DataType dtype = node.attrs().type("dtype");
              return call -> new Deserializer(call, dtype).run();
            }),
        Op.define(
                "DeserializeManySparse(serialized_sparse: string) -> " + SPARSE.formatted("dtype"))
            .attrs("dtype: type")
            .shape(in -> {
              Shape serialized = Shapes.withRank(in.shape(0), 2);
              Shapes.mergeSize(serialized.size(1), PARTS);
              return deserializeShapes();
            })
            .kernel(node -> {
              DataType dtype = node.attrs().type("dtype");
              return call -> new Deserializer(call, dtype).run();
            }));
  }

  private static List<Shape> serializeRule(ShapeFunction.Inputs in, Shape result) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    Shapes.withRank(in.shape(2), 1);
    return List.of(result);
  }

  static List<Shape> deserializeShapes() {
    return List.of(Shapes.ofRank(2), Shapes.ofRank(1), Shapes.ofRank(1));
  }

  /** Packs tensors into elements of attr out_type: variants, or serialized TensorProto strings. */
  private record Packer(DataType type) {
    Packer(NodeSpec node) {
      this(node.attrs().type("out_type"));
    }

    Object allocate(Shape shape) {
      return TensorLimit.allocate(type, shape);
    }

    void put(Object array, int at, Tensor tensor) {
      switch (array) {
        case byte[][] strings -> strings[at] = TensorProtos.write(tensor).toByteArray();
        case Object[] variants -> variants[at] = new TensorVariant(tensor);
        default -> throw new AssertionError(array.getClass());
      }
    }
  }

  /** The sparse tensor of inputs 0 to 2; only their ranks are checked, as in TensorFlow. */
  static SparseTensor unchecked(KernelCall call) {
    checkInput("indices should be a matrix", call.input(0), 2);
    checkInput("values should be a vector", call.input(1), 1);
    checkInput("shape should be a vector", call.input(2), 1);
    return new SparseTensor(call.input(0), call.input(1), call.input(2));
  }

  private static void checkInput(String must, Tensor tensor, int rank) {
    if (tensor.shape().rank() != rank) {
      throw invalidArgument("Input %s but received shape %s", must, tensor.shape());
    }
  }

  private static Kernel.Sync serializeOne(NodeSpec node) {
    Packer packer = new Packer(node);
    return call -> {
      SparseTensor sparse = unchecked(call);
      Object packed = packer.allocate(Shape.of(PARTS));
      packer.put(packed, 0, sparse.indices().detach());
      packer.put(packed, 1, sparse.values().detach());
      packer.put(packed, 2, sparse.shape().detach());
      call.setOutput(0, Tensor.wrap(packer.type(), Shape.of(PARTS), packed));
    };
  }

  private static Kernel.Sync serializeMany(NodeSpec node) {
    Packer packer = new Packer(node);
    return call -> call.setOutput(0, packedRows(unchecked(call), packer, call.cancellation()));
  }

  private static Tensor packedRows(SparseTensor sparse, Packer packer, Cancellation stop) {
    int rank = sparse.rank();
    if (rank <= 1) {
      throw invalidArgument("Rank of input SparseTensor should be > 1, but saw rank: %d", rank);
    }
    if (sparse.indices().shape().size(0) != sparse.count()) {
      throw invalidArgument(
          "indices and values rows (indexing dimension) must match. (indices = %d, values = %d)",
          sparse.indices().shape().size(0), sparse.count());
    }
    if (sparse.indices().shape().size(1) != rank) {
      throw invalidArgument(
          "Index rank (%d) and shape rank (%d) do not match",
          sparse.indices().shape().size(1), rank);
    }
    Shape shape = Shape.of(sparse.size(0), PARTS);
    Object packed = packer.allocate(shape);
    int at = 0;
    for (SparseTensor row : sparse.rows(stop)) {
      packer.put(packed, at++, row.indices());
      packer.put(packed, at++, row.values());
      packer.put(packed, at++, row.shape());
    }
    return Tensor.wrap(packer.type(), shape, packed);
  }

  /** Unpacks serialized sparse tensors and stacks them along the batch dimensions. */
  private static final class Deserializer {
    private final KernelCall call;
    private final Tensor packed;
    private final DataType dtype;
    private final Shape batch;

    Deserializer(KernelCall call, DataType dtype) {
      this.call = call;
      this.packed = call.input(0);
      this.dtype = dtype;
      Shape shape = packed.shape();
      if (shape.rank() == 0) {
        throw invalidArgument("Serialized sparse should have non-zero rank %s", shape);
      }
      if (shape.size(shape.rank() - 1) != PARTS) {
        throw invalidArgument("Serialized sparse should have 3 as the last dimension %s", shape);
      }
      this.batch = shape.sub(0, shape.rank() - 1);
    }

    void run() {
      int count = batch.elements();
      if (count == 0) {
        throw invalidArgument(
            "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension"
                + " %s",
            packed.shape());
      }
      List<SparseTensor> parts = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        parts.add(part(i));
      }
      if (batch.rank() == 0) {
        call.setOutput(0, parts.getFirst().indices());
        call.setOutput(1, parts.getFirst().values());
        call.setOutput(2, parts.getFirst().shape());
        return;
      }
      SparseStack stack = new SparseStack(parts, batch, dtype, call.cancellation());
      call.setOutput(2, stack.shape());
      call.setOutput(0, stack.indices());
      call.setOutput(1, stack.values());
    }

    private SparseTensor part(int i) {
      SparseTensor part = new SparseTensor(unpack(i, 0), unpack(i, 1), unpack(i, 2));
      checkRank(i, 0, "an index matrix", part.indices(), 2);
      checkRank(i, 1, "a values vector", part.values(), 1);
      checkTypes(i, part);
      if (part.indices().shape().size(0) != part.count()) {
        throw invalidArgument(
            "Expected row counts of SparseTensor[%d].indices and SparseTensor[%d].values to match"
                + " but they do not: %d vs. %d",
            i, i, part.indices().shape().size(0), part.count());
      }
      if (part.shape().shape().rank() != 1) {
        throw invalidArgument(
            "Expected serialized_sparse[%d, 1] to be a shape vector but its shape is %s",
            i, part.shape().shape());
      }
      if (part.indices().shape().size(1) != part.rank()) {
        throw invalidArgument(
            "Expected column counts of SparseTensor[%d].indices to match size of"
                + " SparseTensor[%d].shape but they do not: %d vs. %d",
            i, i, part.indices().shape().size(1), part.rank());
      }
      return part;
    }

    private static void checkRank(int i, int column, String must, Tensor tensor, int rank) {
      if (tensor.shape().rank() != rank) {
        throw invalidArgument(
            "Expected serialized_sparse[%d, %d] to represent %s but received shape %s",
            i, column, must, tensor.shape());
      }
    }

    private void checkTypes(int i, SparseTensor part) {
      if (part.values().dtype() != dtype) {
        throw invalidArgument(
            "Requested SparseTensor of type %s but SparseTensor[%d].values.dtype() == %s",
            dtype.tfName(), i, part.values().dtype().tfName());
      }
      if (part.indices().dtype() != DataType.INT64 || part.shape().dtype() != DataType.INT64) {
        throw invalidArgument(
            "Expected serialized_sparse[%d, 0] and [%d, 2] to be of int64 but received %s and %s",
            i, i, part.indices().dtype().tfName(), part.shape().dtype().tfName());
      }
    }

    private Tensor unpack(int i, int column) {
      int at = i * PARTS + column;
      return packed.dtype() == DataType.STRING
          ? parse(packed.string(at), i, column)
          : TensorVariant.of(packed.reference(at), "serialized_sparse[" + i + ", " + column + "]");
    }

    private static Tensor parse(byte[] serialized, int i, int column) {
      try {
        TensorProto proto = TensorProto.parseFrom(UnsafeByteOperations.unsafeWrap(serialized));
        if (proto.getDtypeValue() == 0) {
          throw invalidArgument(
              "Could not construct tensor from proto: serialized_sparse[%d, %d] has no dtype",
              i, column);
        }
        return TensorProtos.read(proto);
      } catch (InvalidProtocolBufferException _) {
        throw invalidArgument(
            "Could not parse serialized proto: serialized_sparse[%d, %d] of %d bytes",
            i, column, serialized.length);
      }
    }
  }
}
