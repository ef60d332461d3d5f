package io.headrace.runtime.graph;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.graph.GraphBuilder.BuiltNode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * An output of a node: the value type of traced lambdas.
 *
 * <p>Each method adds a node and returns its output. Number operands take this output's dtype.
 * Dtypes must agree and shapes must broadcast; otherwise tracing fails with INVALID_ARGUMENT, and
 * the message says what to write, as {@code cast(DataType.FLOAT32)}: nothing is converted by
 * itself. More operations are in {@link Ops}, {@link Numbers} and {@link Tensors}.
 */
public final class Output {
  private final GraphBuilder builder;
  private final BuiltNode node;
  private final int index;
  private final DataType dtype;
  private final Shape shape;

  Output(GraphBuilder builder, BuiltNode node, int index, DataType dtype, Shape shape) {
    this.builder = builder;
    this.node = node;
    this.index = index;
    this.dtype = dtype;
    this.shape = shape;
  }

  GraphBuilder builder() {
    return builder;
  }

  BuiltNode node() {
    return node;
  }

  /** The index among its operation's outputs, from 0. */
  public int index() {
    return index;
  }

  /** The operation that produces this output. */
  public Operation operation() {
    return builder.operation(node);
  }

  /** The graph, or function under construction, that contains the output. */
  public GraphBuilder graph() {
    return builder;
  }

  /** The value, if a Const node produces it. */
  public Optional<Tensor> constantValue() {
    return Optional.ofNullable(Operation.constantValue(this));
  }

  /** The name of the tensor: {@code operation:index}. */
  public String name() {
    return node.name() + ":" + index;
  }

  /** The dtype. */
  public DataType dtype() {
    return dtype;
  }

  /** The shape, as far as it is known. */
  public Shape shape() {
    return shape;
  }

  private NodeBuilder op(String name) {
    return GraphBuilder.currentFor(this).op(name);
  }

  private Output unary(String name) {
    return op(name).input(this).build();
  }

  private Output binary(String name, Output other) {
    requireNonNull(other, "other is null");
    return op(name).input(this).input(other).build();
  }

  private Output binary(String name, double other) {
    return op(name).input(this).input(number(other)).build();
  }

  private Tensor number(double value) {
    return switch (dtype) {
      case FLOAT32 -> Tensor.scalar((float) value);
      case FLOAT64 -> Tensor.scalar(value);
      case INT32 -> Tensor.scalar(Math.toIntExact(whole(value)));
      case INT64 -> Tensor.scalar(whole(value));
      case UINT8, INT8 -> Tensor.wrap(dtype, Shape.SCALAR, new byte[] {(byte) whole(value)});
      case UINT16, INT16 -> Tensor.wrap(dtype, Shape.SCALAR, new short[] {(short) whole(value)});
      case FLOAT16 ->
          Tensor.wrap(dtype, Shape.SCALAR, new short[] {Float.floatToFloat16((float) value)});
      default -> throw InputDtypes.number(value, dtype);
    };
  }

  private long whole(double value) {
    if (value != Math.rint(value)) {
      throw InputDtypes.number(value, dtype);
    }
    return (long) value;
  }

  /** The sum. */
  public Output add(Output other) {
    return binary("AddV2", other);
  }

  /** The sum. */
  public Output add(double other) {
    return binary("AddV2", other);
  }

  /** The difference. */
  public Output sub(Output other) {
    return binary("Sub", other);
  }

  /** The difference. */
  public Output sub(double other) {
    return binary("Sub", other);
  }

  /** The product. */
  public Output mul(Output other) {
    return binary("Mul", other);
  }

  /** The product. */
  public Output mul(double other) {
    return binary("Mul", other);
  }

  /** The quotient of floating-point values. */
  public Output div(Output other) {
    return binary("RealDiv", other);
  }

  /** The quotient of floating-point values. */
  public Output div(double other) {
    return binary("RealDiv", other);
  }

  /** The quotient, rounded down. */
  public Output floorDiv(Output other) {
    return binary("FloorDiv", other);
  }

  /** The quotient, rounded down. */
  public Output floorDiv(double other) {
    return binary("FloorDiv", other);
  }

  /** The remainder of {@link #floorDiv}, with the sign of the divisor. */
  public Output floorMod(Output other) {
    return binary("FloorMod", other);
  }

  /** The remainder of {@link #floorDiv}, with the sign of the divisor. */
  public Output floorMod(double other) {
    return binary("FloorMod", other);
  }

  /** The larger one. */
  public Output maximum(Output other) {
    return binary("Maximum", other);
  }

  /** The larger one. */
  public Output maximum(double other) {
    return binary("Maximum", other);
  }

  /** The smaller one. */
  public Output minimum(Output other) {
    return binary("Minimum", other);
  }

  /** The smaller one. */
  public Output minimum(double other) {
    return binary("Minimum", other);
  }

  /** This to the power of {@code exponent}. */
  public Output pow(Output exponent) {
    requireNonNull(exponent, "exponent is null");
    return binary("Pow", exponent);
  }

  /** This to the power of {@code exponent}. */
  public Output pow(double exponent) {
    return binary("Pow", exponent);
  }

  /** The negative. */
  public Output neg() {
    return unary("Neg");
  }

  /** The absolute value. */
  public Output abs() {
    return unary("Abs");
  }

  /** The square. */
  public Output square() {
    return unary("Square");
  }

  /** The square root. */
  public Output sqrt() {
    return unary("Sqrt");
  }

  /** e to the power of this. */
  public Output exp() {
    return unary("Exp");
  }

  /** The natural logarithm. */
  public Output log() {
    return unary("Log");
  }

  /** Rounded down. */
  public Output floor() {
    return unary("Floor");
  }

  /** Rounded to the nearest whole number, halves to the even one. */
  public Output round() {
    return unary("Round");
  }

  /** Whether this is less, element by element. */
  public Output less(Output other) {
    return binary("Less", other);
  }

  /** Whether this is less, element by element. */
  public Output less(double other) {
    return binary("Less", other);
  }

  /** Whether this is less or equal, element by element. */
  public Output lessEqual(Output other) {
    return binary("LessEqual", other);
  }

  /** Whether this is less or equal, element by element. */
  public Output lessEqual(double other) {
    return binary("LessEqual", other);
  }

  /** Whether this is greater, element by element. */
  public Output greater(Output other) {
    return binary("Greater", other);
  }

  /** Whether this is greater, element by element. */
  public Output greater(double other) {
    return binary("Greater", other);
  }

  /** Whether this is greater or equal, element by element. */
  public Output greaterEqual(Output other) {
    return binary("GreaterEqual", other);
  }

  /** Whether this is greater or equal, element by element. */
  public Output greaterEqual(double other) {
    return binary("GreaterEqual", other);
  }

  /** Whether both are equal, element by element. */
  public Output equalTo(Output other) {
    return binary("Equal", other);
  }

  /** Whether both are equal, element by element. */
  public Output equalTo(double other) {
    return binary("Equal", other);
  }

  /** Whether both differ, element by element. */
  public Output notEqualTo(Output other) {
    return binary("NotEqual", other);
  }

  /** Whether both differ, element by element. */
  public Output notEqualTo(double other) {
    return binary("NotEqual", other);
  }

  /** Logical and, element by element. */
  public Output and(Output other) {
    return binary("LogicalAnd", other);
  }

  /** Logical or, element by element. */
  public Output or(Output other) {
    return binary("LogicalOr", other);
  }

  /** Logical not, element by element. */
  public Output not() {
    return unary("LogicalNot");
  }

  /** {@code a} where this bool is true, {@code b} elsewhere. */
  public Output select(Output a, Output b) {
    requireNonNull(a, "a is null");
    requireNonNull(b, "b is null");
    return op("SelectV2").input(this).input(a).input(b).build();
  }

  /**
   * The values as another dtype; of numbers and bools.
   *
   * @throws StatusException INVALID_ARGUMENT for strings, which {@link Strings#toNumber} reads and
   *     {@link #asString} makes
   */
  public Output cast(DataType newType) {
    requireNonNull(newType, "newType is null");
    if (newType != dtype && (newType == DataType.STRING || dtype == DataType.STRING)) {
      throw StatusException.invalidArgument(
          "%s can't be cast to %s: %s",
          dtype.tfName(),
          newType.tfName(),
          newType == DataType.STRING
              ? "asString() makes strings"
              : "Strings.toNumber(x, type) reads numbers");
    }
    return newType == dtype ? this : op("Cast").input(this).attr("DstT", newType).build();
  }

  /** The same elements in another shape; one dimension may be -1 and is inferred. */
  public Output reshape(long... newShape) {
    requireNonNull(newShape, "newShape is null");
    return op("Reshape").input(this).input(intVector(newShape)).build();
  }

  /** The same elements with a dimension of size 1 at {@code axis}. */
  public Output expandDims(int axis) {
    return op("ExpandDims").input(this).input(Tensor.scalar(axis)).build();
  }

  /** The same elements without the dimensions of size 1 among {@code axes}, or all of them. */
  public Output squeeze(long... axes) {
    requireNonNull(axes, "axes is null");
    return op("Squeeze")
        .input(this)
        .integers("squeeze_dims", LongStream.of(axes).boxed().toList())
        .build();
  }

  /** The dimensions in another order. */
  public Output transpose(long... permutation) {
    requireNonNull(permutation, "permutation is null");
    return op("Transpose").input(this).input(intVector(permutation)).build();
  }

  /** The shape as a vector of int32. */
  public Output shapeTensor() {
    return unary("Shape");
  }

  /**
   * Slice {@code i} of the first dimension, which is dropped; a negative index counts from the end.
   */
  public Output at(long i) {
    return op("StridedSlice")
        .input(this)
        .input(intVector(i))
        .input(intVector(i + 1))
        .input(intVector(1))
        .attr("shrink_axis_mask", 1)
        .attr("end_mask", i == -1 ? 1 : 0)
        .build();
  }

  /** The slice of size {@code size} at {@code begin}; a size of -1 extends to the end. */
  public Output slice(long[] begin, long[] size) {
    requireNonNull(begin, "begin is null");
    requireNonNull(size, "size is null");
    return op("Slice").input(this).input(intVector(begin)).input(intVector(size)).build();
  }

  /** Gathers slices of dimension {@code axis} by {@code indices}. */
  public Output gather(Output indices, int axis) {
    requireNonNull(indices, "indices is null");
    return op("GatherV2").input(this).input(indices).input(Tensor.scalar(axis)).build();
  }

  /** Reversed along {@code axes}. */
  public Output reverse(long... axes) {
    requireNonNull(axes, "axes is null");
    return op("ReverseV2").input(this).input(intVector(axes)).build();
  }

  /** The sum over {@code axes}, all of them if none is named. */
  public Output sum(long... axes) {
    requireNonNull(axes, "axes is null");
    return reduce("Sum", axes);
  }

  /** The mean over {@code axes}, all of them if none is named. */
  public Output mean(long... axes) {
    requireNonNull(axes, "axes is null");
    return reduce("Mean", axes);
  }

  /** The greatest over {@code axes}, all of them if none is named. */
  public Output max(long... axes) {
    requireNonNull(axes, "axes is null");
    return reduce("Max", axes);
  }

  /** The smallest over {@code axes}, all of them if none is named. */
  public Output min(long... axes) {
    requireNonNull(axes, "axes is null");
    return reduce("Min", axes);
  }

  private Output reduce(String name, long... axes) {
    long[] reduced =
        axes.length > 0
            ? axes
            : IntStream.range(0, Math.max(0, shape.rank())).asLongStream().toArray();
    if (axes.length == 0 && shape.isUnknownRank()) {
      throw StatusException.invalidArgument(
          "%s over all axes needs a known rank: name the axes", name);
    }
    return op(name).input(this).input(intVector(reduced)).build();
  }

  /** The matrix product. */
  public Output matmul(Output other) {
    return binary("MatMul", other);
  }

  /** The number of bytes of each string. */
  public Output stringLength() {
    return unary("StringLength");
  }

  /** The values as strings. */
  public Output asString() {
    return unary("AsString");
  }

  /** Whether each string as a whole matches {@code pattern} (RE2 syntax). */
  public Output matches(String pattern) {
    requireNonNull(pattern, "pattern is null");
    return op("StaticRegexFullMatch").input(this).attr("pattern", pattern).build();
  }

  /** The strings' bytes as little-endian values of {@code type}, in a new last dimension. */
  public Output decodeRaw(DataType type) {
    requireNonNull(type, "type is null");
    return op("DecodeRaw").input(this).attr("out_type", type).build();
  }

  /** Decodes a JPEG to uint8 [height, width, channels]; 0 channels takes the file's number. */
  public Output decodeJpeg(int channels) {
    return op("DecodeJpeg").input(this).attr("channels", channels).build();
  }

  /** Decodes a PNG to uint8 [height, width, channels]; 0 channels takes the file's number. */
  public Output decodePng(int channels) {
    return op("DecodePng").input(this).attr("channels", channels).build();
  }

  /** Resizes an image [height, width, channels], or a batch of images, bilinearly; float32. */
  public Output resize(int height, int width) {
    boolean single = shape.rank() == 3;
    if (!single && shape.rank() != 4) {
      throw StatusException.invalidArgument(
          "resize takes [height, width, channels] or a batch of such, and was given %s", shape);
    }
    Output images = single ? expandDims(0) : this;
    Output resized =
        images
            .op("ResizeBilinear")
            .input(images)
            .input(intVector(height, width))
            .attr("half_pixel_centers", true)
            .build();
    return single ? resized.squeeze(0) : resized;
  }

  private static Tensor intVector(long... values) {
    return Tensor.vector(LongStream.of(values).mapToInt(Math::toIntExact).toArray());
  }

  /** Dtype and shape. */
  @Override
  public String toString() {
    return dtype.tfName() + shape;
  }
}
