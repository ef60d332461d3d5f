package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.FunctionRef;
import org.jspecify.annotations.Nullable;

/** The function in an attr of a node, instantiated on first use. Thread-safe. */
public final class FunctionTemplate {
  private final FunctionLookup functions;
  private final FunctionRef ref;
  private final @Nullable String transformation;
  private @Nullable CallableFunction sample;

  /** The function {@code ref}, which no user wrote. */
  public FunctionTemplate(FunctionLookup functions, FunctionRef ref) {
    this(functions, ref, null);
  }

  /**
   * The function {@code ref}.
   *
   * @param transformation the transformation that a user passed the function to, for messages
   */
  public FunctionTemplate(
      FunctionLookup functions, FunctionRef ref, @Nullable String transformation) {
    this.functions = functions;
    this.ref = ref;
    this.transformation = transformation;
  }

  /** An instance that describes the function; callers run it only if it is stateless. */
  synchronized CallableFunction sample() {
    if (sample == null) {
      sample = functions.instantiate(ref);
    }
    return sample;
  }

  /** The transformation that a user passed the function to, if any. */
  @Nullable String transformation() {
    return transformation;
  }

  boolean isStateful() {
    return sample().isStateful();
  }

  /** A new instance, with its own state. */
  CallableFunction newInstance() {
    return functions.instantiate(ref);
  }
}
