package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.ByteString;
import io.headrace.proto.data.Options;
import java.util.Optional;

/**
 * Options of a whole pipeline: {@code tf.data.Options}. They hold for the transformations before
 * {@link Dataset#withOptions}.
 *
 * @param deterministic whether transformations that run in parallel keep the order of elements;
 *     empty leaves it to each of them. It does not change those that were given an order
 *     themselves.
 */
public record DatasetOptions(Optional<Boolean> deterministic) {
  /** Requires the components. */
  public DatasetOptions {
    requireNonNull(deterministic, "deterministic is null");
  }

  /** No options. */
  public static final DatasetOptions NONE = new DatasetOptions(Optional.empty());

  /** Keeps the order, or lets elements pass in the order in which they become ready. */
  public DatasetOptions deterministic(boolean keepsOrder) {
    return new DatasetOptions(Optional.of(keepsOrder));
  }

  ByteString toBytes() {
    Options.Builder options = Options.newBuilder();
    deterministic.ifPresent(options::setDeterministic);
    return options.build().toByteString();
  }
}
