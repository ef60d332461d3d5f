package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.function.Function;
import java.util.stream.Stream;

/** Declares ops whose output is a dataset. */
public final class DatasetOp {
  /** The attrs that most dataset ops end with. */
  private static final String[] ELEMENTS = {
    "output_types: list(type)", "output_shapes: list(shape)", "metadata: string = ''"
  };

  private DatasetOp() {}

  /** The attrs of {@code common}, followed by {@code more}. */
  public static String[] join(String[] common, String... more) {
    return Stream.of(common, more).flatMap(Stream::of).toArray(String[]::new);
  }

  /** Declares {@code Name(inputs)}; its output is a scalar variant, {@code handle}. */
  public static Op.Builder define(String signature) {
    return Op.define(signature + " -> handle: variant").shape(ShapeFunctions.SCALAR);
  }

  /** Declares {@code Name(inputs)} with {@code attrs} and the attrs of the elements' types. */
  public static Op.Builder typed(String signature, String... attrs) {
    return define(signature).attrs(attrs).attrs(ELEMENTS);
  }

  /**
   * Declares {@code Name(inputs)} with {@code attrs}, the attrs of the elements' types and a
   * kernel.
   */
  public static Op of(
      String signature, Function<OpArguments, DatasetValue> maker, String... attrs) {
    return typed(signature, attrs).kernel(DatasetKernel.making(maker));
  }

  /**
   * Declares an op whose dataset has state (seeds, a cache): each execution must make a new one.
   * TensorFlow declares all its sources stateful, only to prevent constant folding.
   */
  public static Op stateful(
      String signature, Function<OpArguments, DatasetValue> maker, String... attrs) {
    return typed(signature, attrs).stateful().kernel(DatasetKernel.making(maker));
  }
}
