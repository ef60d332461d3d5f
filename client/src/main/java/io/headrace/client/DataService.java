package io.headrace.client;

import static io.headrace.dataset.execute.pass.DatasetValue.INFINITE;
import static io.headrace.dataset.execute.pass.DatasetValue.UNKNOWN;
import static java.util.Objects.requireNonNull;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementSpecs;
import io.headrace.dataset.Structure;
import io.headrace.dataset.execute.source.IterableDataset;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.SnapshotRequest;
import io.headrace.proto.data.experimental.DistributedSnapshotMetadata;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * The client API of the tf.data service: the workers of a dispatcher run a dataset and stream its
 * elements to this process.
 *
 * <pre>{@code
 * Dataset dataset = Dataset.range(10)
 *     .apply(DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, "grpc://localhost:5050"));
 * }</pre>
 *
 * <p>Works with Headrace's and with stock TensorFlow 2.21's dispatchers and workers. A dispatcher
 * that has never answered is waited for as long as {@link DistributeOptions#dispatcherTimeout}
 * says, a minute by default; one that was reached before, without end. Warnings tell how long a
 * call has waited, and why. Thread-safe.
 */
public final class DataService {
  private DataService() {}

  /**
   * A transformation that runs a dataset on the workers of the dispatcher at {@code target}, with
   * default options.
   */
  public static UnaryOperator<Dataset> distribute(ProcessingMode mode, String target) {
    requireNonNull(mode, "mode is null");
    requireNonNull(target, "target is null");
    return distribute(DistributeOptions.of(mode), target);
  }

  /** A transformation that runs a dataset on the workers of the dispatcher at {@code target}. */
  public static UnaryOperator<Dataset> distribute(DistributeOptions options, String target) {
    requireNonNull(options, "options is null");
    requireNonNull(target, "target is null");
    return dataset -> {
      String id =
          registerDataset(
              target,
              dataset,
              options.compression(),
              Optional.empty(),
              options.dispatcherTimeout());
      return read(
          options, target, id, dataset.structure(), options.jobName().orElse(""), Optional.empty());
    };
  }

  /** Saves with {@link Compression#SNAPPY}, as TensorFlow does by default. */
  public static void distributedSave(String target, Dataset dataset, String path) {
    requireNonNull(target, "target is null");
    requireNonNull(dataset, "dataset is null");
    requireNonNull(path, "path is null");
    distributedSave(target, dataset, path, Compression.SNAPPY);
  }

  /**
   * Has the workers of the dispatcher at {@code target} save {@code dataset} in the folder {@code
   * path}, which must not exist yet, and which all of them and the dispatcher reach. As
   * TensorFlow's {@code distributed_save} does, it divides the dataset dynamically among the
   * workers, and returns once the dispatcher has taken the order. {@link Dataset#load(String)}
   * reads the elements, and waits for those that are not written yet.
   *
   * <pre>{@code
   * DataService.distributedSave("grpc://localhost:5050", dataset, "/data/numbers", Compression.GZIP);
   * Dataset numbers = Dataset.load("/data/numbers");
   * }</pre>
   *
   * <p>Each element is saved once, whichever servers restart, as long as the dispatcher keeps its
   * journal; a Headrace worker that is lost is replaced by another one. The first error of an
   * element, or of the disk, ends the snapshot, and those who load it get that error.
   *
   * @throws StatusException ALREADY_EXISTS if there is something at {@code path}; INVALID_ARGUMENT
   *     if the dataset is infinite or reads an Iterable of this process, or if the dispatcher keeps
   *     no journal; UNIMPLEMENTED if the dataset can't be divided among workers, or for another
   *     file system; UNAVAILABLE if the dispatcher does not answer
   */
  public static void distributedSave(
      String target, Dataset dataset, String path, Compression compression) {
    requireNonNull(target, "target is null");
    requireNonNull(dataset, "dataset is null");
    requireNonNull(compression, "compression is null");
    requireNonNull(path, "path is null");
    GraphDef graph = dataset.toGraphDef();
    IterableDataset.checkAbsent(graph);
    if (cardinality(dataset, graph) == INFINITE) {
      throw StatusException.invalidArgument("Saving an infinite dataset is not allowed: %s", path);
    }
    SnapshotRequest request =
        SnapshotRequest.newBuilder()
            .setDataset(DatasetDef.newBuilder().setGraph(graph))
            .setPath(path)
            .setMetadata(
                DistributedSnapshotMetadata.newBuilder()
                    .setElementSpec(ElementSpecs.write(dataset.structure()))
                    .setCompression(compression == Compression.NONE ? "" : compression.name()))
            .build();
    Cancellation none = new Cancellation();
    try (DispatcherClient client = open(target, none, DistributeOptions.DISPATCHER_TIMEOUT)) {
      var _ = client.call(DispatcherServiceGrpc.getSnapshotMethod(), request, none);
    }
  }

  /**
   * Registers a dataset.
   *
   * @return the id by which {@link #fromDatasetId} reads it, in any process
   */
  public static String registerDataset(String target, Dataset dataset) {
    requireNonNull(target, "target is null");
    requireNonNull(dataset, "dataset is null");
    return registerDataset(target, dataset, ServiceCompression.AUTO, Optional.empty());
  }

  /**
   * Registers a dataset. INVALID_ARGUMENT if a dataset of another structure has the same id, or if
   * it reads an Iterable of this process.
   *
   * @param datasetId the id; if empty, the dispatcher chooses one
   * @return the id
   */
  public static String registerDataset(
      String target, Dataset dataset, ServiceCompression compression, Optional<String> datasetId) {
    requireNonNull(target, "target is null");
    requireNonNull(dataset, "dataset is null");
    requireNonNull(compression, "compression is null");
    requireNonNull(datasetId, "datasetId is null");
    return registerDataset(
        target, dataset, compression, datasetId, DistributeOptions.DISPATCHER_TIMEOUT);
  }

  private static String registerDataset(
      String target,
      Dataset dataset,
      ServiceCompression compression,
      Optional<String> datasetId,
      Duration timeout) {
    Dataset sent = compression == ServiceCompression.NONE ? dataset : compressed(dataset);
    GraphDef graph = sent.toGraphDef();
    IterableDataset.checkAbsent(graph);
    GetOrRegisterDatasetRequest.Builder request =
        GetOrRegisterDatasetRequest.newBuilder()
            .setDataset(DatasetDef.newBuilder().setGraph(graph))
            .setMetadata(
                DataServiceMetadata.newBuilder()
                    .setElementSpec(ElementSpecs.write(dataset.structure()))
                    .setCompression(compression.toProto())
                    .setCardinality(cardinality(dataset, graph)));
    datasetId.ifPresent(request::setDatasetId);
    Cancellation none = new Cancellation();
    try (DispatcherClient client = open(target, none, timeout)) {
      return client
          .call(DispatcherServiceGrpc.getGetOrRegisterDatasetMethod(), request.build(), none)
          .getDatasetId();
    }
  }

  /**
   * The number of elements, unknown if it depends on which files match a pattern: the hosts that
   * read them may have other files than this one.
   */
  private static long cardinality(Dataset dataset, GraphDef graph) {
    if (graph.getNodeList().stream().noneMatch(node -> node.getOp().equals("MatchingFiles"))) {
      return dataset.cardinality();
    }
    try {
      return dataset.cardinality() == INFINITE ? INFINITE : UNKNOWN;
    } catch (StatusException _) {
      return UNKNOWN;
    }
  }

  /**
   * Maps each element to one compressed variant, the form in which TensorFlow registers datasets.
   */
  private static Dataset compressed(Dataset dataset) {
    return dataset.mapElement(
        element ->
            GraphBuilder.current().op("CompressElement").inputs(element.components()).build(),
        Dataset.AUTOTUNE,
        true);
  }

  /** The elements of a registered dataset, with the structure that the dispatcher has recorded. */
  public static Dataset fromDatasetId(DistributeOptions options, String target, String datasetId) {
    requireNonNull(target, "target is null");
    requireNonNull(options, "options is null");
    requireNonNull(datasetId, "datasetId is null");
    Cancellation none = new Cancellation();
    DataServiceMetadata metadata;
    try (DispatcherClient client = open(target, none, options.dispatcherTimeout())) {
      metadata =
          client
              .call(
                  DispatcherServiceGrpc.getGetDataServiceMetadataMethod(),
                  GetDataServiceMetadataRequest.newBuilder().setDatasetId(datasetId).build(),
                  none)
              .getMetadata();
    }
    if (metadata.getElementSpec().isEmpty()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "dataset %s was registered without its element spec: pass its structure",
          datasetId);
    }
    return fromDatasetId(
        options, target, datasetId, ElementSpecs.read(datasetId, metadata.getElementSpec()));
  }

  /** The elements of a registered dataset, of the given structure. */
  public static Dataset fromDatasetId(
      DistributeOptions options, String target, String datasetId, Structure structure) {
    requireNonNull(options, "options is null");
    requireNonNull(datasetId, "datasetId is null");
    requireNonNull(target, "target is null");
    requireNonNull(structure, "structure is null");
    return fromDatasetId(options, target, datasetId, structure, Optional.empty());
  }

  /**
   * The elements of a registered dataset; {@code ticker} measures how long the dispatcher is
   * silent.
   */
  static Dataset fromDatasetId(
      DistributeOptions options,
      String target,
      String datasetId,
      Structure structure,
      Optional<Ticker> ticker) {
    if (datasetId.isEmpty()) {
      throw StatusException.invalidArgument("the dataset id must not be empty");
    }
    String jobName =
        options.jobName().map(name -> "dataset_id=/" + datasetId + "/" + name).orElse("");
    return read(options, target, datasetId, structure, jobName, ticker);
  }

  /** Readers that resume together wait for each other, which a job of one reader never ends. */
  private static void requireJobName(Optional<Resumption> resumption, String jobName) {
    if (jobName.isEmpty() && resumption.isPresent() && resumption.get().readers() > 1) {
      throw StatusException.invalidArgument(
          "%d readers that resume together (resumedFrom) share a job, which has no name;"
              + " name it: withJobName",
          resumption.get().readers());
    }
  }

  private static Dataset read(
      DistributeOptions options,
      String target,
      String datasetId,
      Structure structure,
      String jobName,
      Optional<Ticker> ticker) {
    if (options.consumer().isPresent() && jobName.isEmpty()) {
      throw StatusException.invalidArgument(
          "consumers that read in step find each other by a job name, and there is none");
    }
    requireJobName(options.resumed(), jobName);
    if (options.targetWorkers() == TargetWorkers.LOCAL) {
      ConsumerPlace.requireRemote(options.consumer());
    }
    if (options.trainerId().isPresent()) {
      TrainerPlace.requireCacheable(jobName, options.consumer());
    }
    ReadSession session = ReadSession.create(options, ticker);
    return Dataset.ofNode(
        structure,
        graph -> {
          var op = graph.op(ServiceOps.READ);
          op.input(Tensor.scalar(datasetId))
              .input(Tensor.scalar(options.mode().toProto().toByteArray()))
              .input(Tensor.scalar(GrpcTargets.address(target)))
              .input(Tensor.scalar("grpc"))
              .input(Tensor.scalar(jobName))
              .input(Tensor.scalar(options.consumer().map(ConsumerPlace::index).orElse(-1L)))
              .input(Tensor.scalar(options.consumer().map(ConsumerPlace::count).orElse(-1L)))
              .input(Tensor.scalar(options.maxOutstandingRequests().orElse(RequestBudget.AUTOTUNE)))
              .input(Tensor.resource(session.handle()));
          return op.attr("task_refresh_interval_hint_ms", options.taskRefreshInterval().toMillis())
              .types("output_types", structure.types())
              .shapes("output_shapes", structure.shapes())
              .attr("data_transfer_protocol", protocol(options.transfer()))
              .attr("target_workers", options.targetWorkers().name())
              .attr("cross_trainer_cache_options", ServiceOps.cacheOptions(options.trainerId()))
              .attr("uncompress", options.compression() != ServiceCompression.NONE)
              .attr("uncompress_fn", uncompress(structure))
              .build();
        });
  }

  private static String protocol(Transfer transfer) {
    return switch (transfer) {
      case AUTO -> "";
      case GRPC -> "grpc";
      case STREAM -> "stream";
      case LOCAL -> "local";
    };
  }

  private static TracedFunction uncompress(Structure structure) {
    return FunctionBuilder.trace(
        "uncompress",
        OpRegistry.standard(),
        List.of(DataType.VARIANT),
        List.of(Shape.SCALAR),
        args -> {
          List<Output> components =
              GraphBuilder.current()
                  .op("UncompressElement")
                  .input(args.getFirst())
                  .types("output_types", structure.types())
                  .shapes("output_shapes", structure.shapes())
                  .buildAll();
          return components;
        });
  }

  private static DispatcherClient open(String target, Cancellation cancellation, Duration timeout) {
    return DispatcherClient.open(
        target, SystemTicker.INSTANCE, new SplittableRandom(), cancellation, Optional.of(timeout));
  }
}
