package io.headrace.interop;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.protobuf.ByteString;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.interop.Results.Result;
import io.headrace.proto.data.UncompressedElement;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Reads datasets with Headrace's Java client, into the same results as the scripts'. */
final class JavaClient {
  private static final int AT_ONCE = 24;
  private static final int SECONDS_EACH = 60;

  private JavaClient() {}

  /**
   * Reads the dataset of each name; one that does not end in time has the error DEADLINE_EXCEEDED.
   */
  static Map<String, Result> readAll(Collection<String> names, Function<String, Dataset> dataset)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    try {
      Map<String, Future<Result>> reading = new HashMap<>();
      for (String name : names) {
        reading.put(name, pool.submit(() -> read(name, dataset)));
      }
      Map<String, Result> results = new HashMap<>();
      for (Map.Entry<String, Future<Result>> one : reading.entrySet()) {
        results.put(one.getKey(), await(one.getKey(), one.getValue()));
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  private static Result await(String name, Future<Result> reading) throws InterruptedException {
    try {
      return reading.get(SECONDS_EACH, SECONDS);
    } catch (TimeoutException e) {
      return result(name, "DEADLINE_EXCEEDED: no end in " + SECONDS_EACH + " s", List.of());
    } catch (ExecutionException e) {
      return result(name, "bug: " + e.getCause(), List.of());
    }
  }

  private static Result read(String name, Function<String, Dataset> dataset) {
    List<UncompressedElement> elements = new ArrayList<>();
    try (ElementIterator iterator = dataset.apply(name).iterator()) {
      while (iterator.hasNext()) {
        elements.add(message(iterator.next()));
      }
    } catch (StatusException e) {
      return result(name, e.code() + ": " + e.getMessage(), elements);
    }
    return result(name, "", elements);
  }

  private static Result result(String name, String error, List<UncompressedElement> elements) {
    Properties properties = new Properties();
    properties.setProperty("error", error);
    return new Result(name, properties, elements);
  }

  /** The format of {@code elements.py}. */
  private static UncompressedElement message(Element element) {
    UncompressedElement.Builder message = UncompressedElement.newBuilder();
    for (Tensor component : element.components()) {
      message.addComponents(message(component));
    }
    return message.build();
  }

  private static TensorProto message(Tensor tensor) {
    if (tensor.dtype() != DataType.STRING) {
      return TensorProtos.write(tensor);
    }
    TensorProto.Builder message =
        TensorProto.newBuilder()
            .setDtypeValue(tensor.dtype().number())
            .setTensorShape(TensorProtos.shape(tensor.shape()));
    for (int i = 0; i < tensor.elements(); i++) {
      message.addStringVal(ByteString.copyFrom(tensor.string(i)));
    }
    return message.build();
  }
}
