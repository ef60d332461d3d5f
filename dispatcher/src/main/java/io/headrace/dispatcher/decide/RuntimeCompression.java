package io.headrace.dispatcher.decide;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.NamedTupleValue;
import io.headrace.proto.tensorflow.PairValue;
import io.headrace.proto.tensorflow.StructuredValue;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether the elements of a dataset that is compressed by default ("AUTO") go uncompressed, because
 * all workers are Headrace's and on the host of their readers. TensorFlow's workers strip the
 * compression from the graph by a rewrite, after which their errors name transformations otherwise.
 * Datasets without an end stay compressed: only they can be read through a cross-trainer cache, in
 * which uncompressed elements would need more room than the program gave it.
 *
 * <p>Readers of one job by name may each have registered its dataset, and all of them must be told
 * the same, as the elements of one task have one form. So what was decided for one dataset holds
 * for later ones with elements of the same structure, until it is forgotten. A program's own
 * request is for the dataset that it names; if others joined its job with datasets of theirs, they
 * would have to ask as well. And where one reader's dataset of a job has an end and another's has
 * none, they are told different things, and the later one fails: TensorFlow, too, has the readers
 * of a job read the dataset of the first.
 */
final class RuntimeCompression {
  /** TensorFlow's cardinality of a dataset without an end. */
  private static final long INFINITE = -1;

  private static final Set<String> LOOPBACK = Set.of("localhost", "[::1]", "::1");

  private static final Pattern LOOPBACK_IPV4 = Pattern.compile("127(\\.\\d{1,3}){3}");

  private RuntimeCompression() {}

  /** Whether {@code dataset}, for which nothing is decided yet, goes uncompressed. */
  static boolean isNeedless(DispatcherState state, RegisteredDataset dataset) {
    if (!isAutomatic(dataset)) {
      return false;
    }
    int specBytes = dataset.metadata().getElementSpec().size();
    Optional<StructuredValue> structure = structure(dataset);
    Optional<Boolean> earlier =
        state.datasets().all().stream()
            .filter(other -> other.compression().filter(of -> !of.getRequested()).isPresent())
            // Equal structures have equal sizes, and are not read for others.
            .filter(other -> other.metadata().getElementSpec().size() == specBytes)
            .filter(other -> isAutomatic(other) && structure(other).equals(structure))
            .findFirst()
            .flatMap(RegisteredDataset::compressionDisabled);
    return earlier.orElseGet(() ->
        state.workers().size() > 0
            && state.workers().all().stream()
                .allMatch(worker -> !worker.isStock() && isLoopback(worker.address())));
  }

  /**
   * Whether neither the program nor the elements ask for compression, nor a cache may. An element
   * that is a single variant, such as a ragged tensor, is sent in that form only.
   */
  private static boolean isAutomatic(RegisteredDataset dataset) {
    if (dataset.metadata().getCompression() != Compression.COMPRESSION_SNAPPY
        || dataset.metadata().getCardinality() == INFINITE
        || dataset.metadata().getElementSpec().isEmpty()) {
      return false;
    }
    return structure(dataset).filter(RuntimeCompression::isPlain).isPresent();
  }

  /** The structure of the elements; none if it can't be read. */
  private static Optional<StructuredValue> structure(RegisteredDataset dataset) {
    try {
      return Optional.of(StructuredValue.parseFrom(dataset.metadata().getElementSpec()));
    } catch (InvalidProtocolBufferException _) {
      return Optional.empty();
    }
  }

  /** Whether all components of a structure are tensors of numbers or strings. */
  private static boolean isPlain(StructuredValue spec) {
    return switch (spec.getKindCase()) {
      case TENSOR_SPEC_VALUE -> isPlain(spec.getTensorSpecValue().getDtype());
      case BOUNDED_TENSOR_SPEC_VALUE -> isPlain(spec.getBoundedTensorSpecValue().getDtype());
      case LIST_VALUE -> arePlain(spec.getListValue().getValuesList());
      case TUPLE_VALUE -> arePlain(spec.getTupleValue().getValuesList());
      case DICT_VALUE -> arePlain(spec.getDictValue().getFieldsMap().values());
      case NAMED_TUPLE_VALUE -> arePlain(spec.getNamedTupleValue());
      default -> false;
    };
  }

  private static boolean arePlain(NamedTupleValue tuple) {
    return arePlain(tuple.getValuesList().stream().map(PairValue::getValue).toList());
  }

  private static boolean arePlain(Collection<StructuredValue> specs) {
    return specs.stream().allMatch(RuntimeCompression::isPlain);
  }

  private static boolean isPlain(DataType dtype) {
    return dtype != DataType.DT_VARIANT && dtype != DataType.DT_RESOURCE;
  }

  /** Whether {@code address}, of the form HOST:PORT, can be reached from its own host only. */
  private static boolean isLoopback(String address) {
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? address : address.substring(0, colon);
    return LOOPBACK.contains(host.toLowerCase(Locale.ROOT))
        || LOOPBACK_IPV4.matcher(host).matches();
  }
}
