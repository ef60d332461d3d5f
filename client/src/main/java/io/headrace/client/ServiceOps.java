package io.headrace.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.CrossTrainerCacheOptions;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The ops that read from a tf.data service: DataServiceDataset in its versions, and
 * DummyIterationCounter.
 */
public final class ServiceOps implements OpLibrary {
  static final String READ = "DataServiceDatasetV4";

  private static final String CONSUMERS = " consumer_index: int64, num_consumers: int64,";

  private static final String UNCOMPRESSING = "uncompress_fn: func";

  /** The op in the versions that clients have written; V4 since TensorFlow 2.9. */
  private static final List<Op> VERSIONS =
      List.of(
          declared("DataServiceDataset", "int64", ""),
          declared("DataServiceDatasetV2", "int64", CONSUMERS),
          declared(
              "DataServiceDatasetV3",
              "int64",
              CONSUMERS,
              "uncompress: bool = false",
              UNCOMPRESSING),
          declared(READ, "string", CONSUMERS, "uncompress: bool = false", UNCOMPRESSING));

  private static final Op DUMMY_ITERATION_COUNTER =
      Op.define("DummyIterationCounter() -> handle: resource")
          .stateful()
          .shape(ShapeFunctions.SCALAR)
          .stateless(call -> call.setOutput(0, Tensor.resource("iteration counter")));

  /** For {@link java.util.ServiceLoader}. */
  public ServiceOps() {}

  @Override
  public List<Op> ops() {
    List<Op> ops = new ArrayList<>(VERSIONS);
    ops.add(DUMMY_ITERATION_COUNTER);
    return List.copyOf(ops);
  }

  private static Op declared(String name, String idType, String consumers, String... newer) {
    return Op.define(
            name
                + "(dataset_id: "
                + idType
                + ", processing_mode: string, address: string, protocol: string,"
                + " job_name: string,"
                + consumers
                + " max_outstanding_requests: int64, iteration_counter: resource)"
                + " -> handle: variant")
        .attrs(
            "task_refresh_interval_hint_ms: int = -1",
            "output_types: list(type)",
            "output_shapes: list(shape)",
            "data_transfer_protocol: string = ''",
            "target_workers: string = 'AUTO'",
            "cross_trainer_cache_options: string = ''")
        .attrs(newer)
        .stateful()
        .touches(Touch.NETWORK)
        .shape(ShapeFunctions.SCALAR)
        .kernel(node -> call -> call.setOutput(0, Tensor.variant(dataset(node.attrs(), call))));
  }

  private static ServiceDataset dataset(Attrs attrs, KernelCall call) {
    String mode = text(call, 1);
    ProcessingModeDef processingMode = processingMode(mode);
    checkServed(call);
    TargetWorkers targetWorkers = TargetWorkers.parse(attrs.string("target_workers"));
    String jobName = text(call, 4);
    Optional<ConsumerPlace> consumer = consumer(call);
    Optional<TrainerPlace> cache = cache(attrs);
    if (targetWorkers == TargetWorkers.LOCAL) {
      ConsumerPlace.requireRemote(consumer);
    }
    if (cache.isPresent()) {
      TrainerPlace.requireCacheable(jobName, consumer);
    }
    OptionalLong maxOutstanding = maxOutstanding(call);
    Transfer transfer =
        targetWorkers == TargetWorkers.LOCAL
            ? Transfer.LOCAL
            : transfer(attrs.string("data_transfer_protocol"));
    maxOutstanding.ifPresent(most -> RequestBudget.check(most, transfer));
    long refreshMillis = attrs.integer("task_refresh_interval_hint_ms");
    return new ServiceDataset(
        text(call, 2),
        datasetId(call.input(0)),
        processingMode,
        jobName.isEmpty() ? Optional.empty() : Optional.of(jobName),
        maxOutstanding.isPresent() && transfer == Transfer.AUTO ? Transfer.GRPC : transfer,
        maxOutstanding,
        targetWorkers,
        Duration.ofMillis(refreshMillis > 0 ? refreshMillis : 1000),
        attrs.types("output_types"),
        attrs.shapes("output_shapes"),
        consumer,
        cache,
        ReadSession.find(call.input(call.inputs() - 1).reference(0)));
  }

  private static void checkServed(KernelCall call) {
    if (!text(call, 3).equals("grpc")) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "protocol %s is not supported: use grpc", text(call, 3));
    }
  }

  /** The attr of a reader that belongs to a trainer: serialized CrossTrainerCacheOptions. */
  static AttrValue cacheOptions(Optional<String> trainerId) {
    ByteString options =
        trainerId
            .map(
                id -> CrossTrainerCacheOptions.newBuilder().setTrainerId(id).build().toByteString())
            .orElse(ByteString.EMPTY);
    return AttrValue.newBuilder().setS(options).build();
  }

  private static Optional<TrainerPlace> cache(Attrs attrs) {
    ByteString options = attrs.bytes("cross_trainer_cache_options");
    try {
      return options.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new TrainerPlace(CrossTrainerCacheOptions.parseFrom(options).getTrainerId()));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "cross_trainer_cache_options are not CrossTrainerCacheOptions",
          e);
    }
  }

  /** The input {@code max_outstanding_requests}; empty for AUTOTUNE. */
  private static OptionalLong maxOutstanding(KernelCall call) {
    long most = call.input(call.inputs() - 2).integer(0);
    return most == RequestBudget.AUTOTUNE ? OptionalLong.empty() : OptionalLong.of(most);
  }

  /** The place among consumers that read in step; negative inputs stand for none. */
  private static Optional<ConsumerPlace> consumer(KernelCall call) {
    boolean mayHaveConsumers = call.inputs() > 7;
    long index = mayHaveConsumers ? call.input(5).integer(0) : -1;
    long count = mayHaveConsumers ? call.input(6).integer(0) : -1;
    return index < 0 && count < 0 ? Optional.empty() : Optional.of(new ConsumerPlace(index, count));
  }

  /** Dispatchers have given ids as strings since V4; numbers before. */
  private static String datasetId(Tensor id) {
    return id.dtype() == DataType.INT64
        ? Long.toString(id.integer(0))
        : new String(id.string(0), StandardCharsets.UTF_8);
  }

  private static String text(KernelCall call, int input) {
    return new String(call.input(input).string(0), StandardCharsets.UTF_8);
  }

  /** The mode that {@code mode} names, or is in serialized form. */
  static ProcessingModeDef processingMode(String mode) {
    return switch (mode) {
      case "parallel_epochs" -> ProcessingMode.PARALLEL_EPOCHS.toProto();
      case "distributed_epoch" -> ProcessingMode.DYNAMIC.toProto();
      default -> parse(mode.getBytes(StandardCharsets.UTF_8));
    };
  }

  private static ProcessingModeDef parse(byte[] bytes) {
    try {
      return ProcessingMode.of(ProcessingModeDef.parseFrom(bytes)).toProto();
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "the processing mode is not a ProcessingModeDef", e);
    }
  }

  private static Transfer transfer(String protocol) {
    return switch (protocol) {
      case "" -> Transfer.AUTO;
      case "grpc" -> Transfer.GRPC;
      case "stream" -> Transfer.STREAM;
      case "local" -> Transfer.LOCAL;
      default ->
          throw StatusException.of(
              StatusCode.NOT_FOUND,
              "data transfer protocol %s is not supported: use grpc, stream or local",
              protocol);
    };
  }
}
