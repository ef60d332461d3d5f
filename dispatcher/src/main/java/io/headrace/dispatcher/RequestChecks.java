package io.headrace.dispatcher;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.SnapshotRequest;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TraceElementRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.regex.Pattern;

/**
 * Validates requests. A missing, negative, oversized or invented value is INVALID_ARGUMENT, naming
 * the field; an unsupported feature is UNIMPLEMENTED, naming it.
 */
final class RequestChecks {
  private static final int MAX_ID_LENGTH = 256;
  private static final int MAX_NAME_LENGTH = 1024;
  private static final int MAX_ADDRESS_LENGTH = 512;
  private static final int MAX_SPEC_BYTES = 16 << 20;
  private static final int MAX_INFO_BYTES = 64 << 10;
  private static final int MAX_TRANSFER_SERVERS = 16;
  private static final int MAX_TAGS = 64;
  private static final int MAX_OPS = 10_000;
  private static final int MAX_TASKS = 1_000_000;
  private static final int MAX_READERS = 100_000;
  private static final int MAX_REPORTED_TASKS = 256;
  private static final int MAX_TRACED_CALLS = 16_384;
  private static final int MAX_TRACED_STAGES = 256;

  /** A worker holds two elements for each. */
  private static final int MAX_CONSUMERS = 10_000;

  /** A port from 1 to 65535, and no white space. */
  private static final Pattern HOST_AND_PORT =
      Pattern.compile(
          "\\S+:(6553[0-5]|655[0-2]\\d|65[0-4]\\d{2}|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3})");

  private RequestChecks() {}

  static void check(GetOrRegisterDatasetRequest request) {
    requireText("dataset_id", request.getDatasetId(), 0, MAX_ID_LENGTH);
    require(
        request.getDatasetId().chars().noneMatch(c -> c == '/' || c == '\\')
            && !request.getDatasetId().matches("\\.+"),
        "dataset_id must be no path, got \"%s\"",
        request.getDatasetId());
    DataServiceMetadata metadata = request.getMetadata();
    require(
        metadata.getCompression() != DataServiceMetadata.Compression.UNRECOGNIZED,
        "metadata.compression is not one that is known: %d",
        metadata.getCompressionValue());
    require(
        metadata.getElementSpec().size() <= MAX_SPEC_BYTES,
        "metadata.element_spec may have %d bytes, got %d",
        MAX_SPEC_BYTES,
        metadata.getElementSpec().size());
  }

  static void check(SnapshotRequest request, boolean faultTolerant) {
    require(
        faultTolerant,
        "tf.data distributed snapshot requires running tf.data service in the fault tolerant mode:"
            + " start the dispatcher with --fault-tolerant-mode and a --work-dir");
    requireText("path", request.getPath(), 1, MAX_NAME_LENGTH);
    require(
        request.getMetadata().getElementSpec().size() <= MAX_SPEC_BYTES,
        "metadata.element_spec may have %d bytes, got %d",
        MAX_SPEC_BYTES,
        request.getMetadata().getElementSpec().size());
    var _ = FileCompression.ofAttr(request.getMetadata().getCompression(), FileCompression.SNAPPY);
  }

  static void check(GetStatusRequest request) {
    require(
        request.getMaxEntries() >= 0,
        "max_entries must not be negative, got %d",
        request.getMaxEntries());
    require(request.getSkip() >= 0, "skip must not be negative, got %d", request.getSkip());
  }

  static void check(ExplainRequest request) {
    requireText("name", request.getName(), 1, MAX_NAME_LENGTH);
  }

  static void check(ReportStagesRequest request) {
    requireCount("tasks", request.getTasksCount(), 0, MAX_REPORTED_TASKS);
  }

  static void check(TraceElementRequest request) {
    long most = ElementTraces.MAX_DEADLINE.toMillis();
    require(
        request.getDeadlineMs() >= 0 && request.getDeadlineMs() <= most,
        "deadline_ms must be 0 to %d, got %d",
        most,
        request.getDeadlineMs());
  }

  static void check(ReportTraceRequest request) {
    require(
        request.hasTask() || request.hasReader(),
        "a trace is reported by a worker or a reader: task or reader must be set");
    requireCount("calls", request.getTask().getCallsCount(), 0, MAX_TRACED_CALLS);
    requireCount("stages", request.getTask().getStagesCount(), 0, MAX_TRACED_STAGES);
    requireCount("threads", request.getTask().getThreadsCount(), 0, MAX_TRACED_CALLS);
    require(
        request.getTask().getMissing().length() <= MAX_INFO_BYTES,
        "missing has %d characters",
        request.getTask().getMissing().length());
  }

  static void check(ReportReadingRequest request) {
    require(
        request.getElements() >= 0, "elements must not be negative, got %d", request.getElements());
    require(request.getWaitMs() >= 0, "wait_ms must not be negative, got %d", request.getWaitMs());
  }

  static void check(GetOrCreateJobRequest request) {
    requireText("job_name", request.getJobName(), 0, MAX_NAME_LENGTH);
    ShardingPolicy policy = request.getProcessingModeDef().getShardingPolicy();
    require(
        policy != ShardingPolicy.UNRECOGNIZED,
        "processing_mode_def.sharding_policy is not one that is known: %d",
        request.getProcessingModeDef().getShardingPolicyValue());
    require(
        request.getTargetWorkers() != TargetWorkers.UNRECOGNIZED,
        "target_workers is not one that is known: %d",
        request.getTargetWorkersValue());
    require(
        !request.hasNumConsumers()
            || (request.getNumConsumers() >= 1 && request.getNumConsumers() <= MAX_CONSUMERS),
        "num_consumers must be 1 to %d, got %d",
        MAX_CONSUMERS,
        request.getNumConsumers());
    if (request.getUseCrossTrainerCache()) {
      requireCacheable(request);
    }
  }

  /** TensorFlow's clients ask for no such job. */
  private static void requireCacheable(GetOrCreateJobRequest request) {
    require(
        !request.getJobName().isEmpty(),
        "Cross-trainer caching requires named jobs. Got empty `job_name`.");
    require(
        !request.hasNumConsumers(),
        "Cross-trainer caching does not support coordinated reads. Got number of coordinated"
            + " consumers: %d",
        request.getNumConsumers());
  }

  static void check(GetOrCreateIterationRequest request) {
    require(
        request.getRepetition() >= 0,
        "repetition must be 0 or more, got %d",
        request.getRepetition());
  }

  static void check(JoinIterationRequest request) {
    check(request.getJob());
    requireSupported(
        !request.getJob().hasNumConsumers(), "num_consumers (coordinated reads) in JoinIteration");
    boolean resumes =
        request.getCopies() > 0
            || request.getPredecessorsCount() > 0
            || request.getTaken().getSourcesCount() > 0;
    if (request.getJob().getUseCrossTrainerCache() && resumes) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "a job with a cross-trainer cache can't resume from a checkpoint: its readers skip"
              + " elements");
    }
    requireAtLeast("repetition", request.getRepetition(), 0);
    require(
        request.getGuarantee() != Guarantee.UNRECOGNIZED,
        "guarantee is not one that is known: %d",
        request.getGuaranteeValue());
    require(
        request.getPredecessorsCount() <= MAX_READERS,
        "there are at most %d predecessors, got %d",
        MAX_READERS,
        request.getPredecessorsCount());
    require(
        request.getAncestorsCount() <= MAX_READERS,
        "there are at most %d ancestors, got %d",
        MAX_READERS,
        request.getAncestorsCount());
    require(
        request.getReaders() >= 0 && request.getReaders() <= MAX_READERS,
        "readers must be 0 to %d, got %d",
        MAX_READERS,
        request.getReaders());
    requireText("token_job", request.getTokenJob(), 0, MAX_NAME_LENGTH);
    require(
        request.getPredecessorsCount() == 0 || request.getReader() != 0,
        "a checkpoint with predecessors needs the field reader");
  }

  static void check(GetSplitRequest request) {
    requireAtLeast("repetition", request.getRepetition(), 0);
    requireAtLeast("split_provider_index", request.getSplitProviderIndex(), 0);
  }

  static void check(TakeSplitsRequest request) {
    requireAtLeast("repetition", request.getRepetition(), 0);
    requireAtLeast("split_provider_index", request.getSplitProviderIndex(), 0);
    requireAtLeast("max_splits", request.getMaxSplits(), 1);
    requireAtLeast("request_number", request.getRequestNumber(), 1);
  }

  private static void requireAtLeast(String field, long value, long least) {
    require(value >= least, "%s must be %d or more, got %d", field, least, value);
  }

  static void check(ClientHeartbeatRequest request) {
    requireAtLeast("current_round", request.getCurrentRound(), 0);
    requireAtLeast("blocked_round", request.getBlockedRound(), 0);
  }

  static void check(WorkerReport report) {
    RegisteredWorker worker = report.worker();
    requireText("worker_address", worker.address(), 1, MAX_ADDRESS_LENGTH);
    require(
        HOST_AND_PORT.matcher(worker.address()).matches(),
        "worker_address must be host:port, got \"%s\"",
        worker.address());
    requireCount("transfer_servers", worker.transferServers().size(), 1, MAX_TRANSFER_SERVERS);
    worker.transferServers().forEach(RequestChecks::check);
    requireCount("worker_tags", worker.tags().size(), 0, MAX_TAGS);
    worker.tags().forEach(tag -> requireText("worker_tags", tag, 1, MAX_NAME_LENGTH));
    requireCount("known_ops", worker.knownOps().size(), 0, MAX_OPS);
    worker.knownOps().forEach(op -> requireText("known_ops", op, 1, MAX_ID_LENGTH));
    requireCount("current_tasks", report.currentTasks().size(), 0, MAX_TASKS);
    report
        .positions()
        .forEach((task, position) ->
            require(
                position >= 0,
                "the position of task %d must be 0 or more, got %d",
                task,
                position));
  }

  static void requireSupported(boolean supported, String feature) {
    if (!supported) {
      throw StatusException.unimplemented("%s is not supported by this dispatcher", feature);
    }
  }

  private static void check(DataTransferServerInfo server) {
    requireText("transfer_servers.protocol", server.getProtocol(), 1, MAX_ID_LENGTH);
    requireText("transfer_servers.address", server.getAddress(), 1, MAX_ADDRESS_LENGTH);
    require(
        server.getCompatibilityInfo().size() <= MAX_INFO_BYTES,
        "transfer_servers.compatibility_info may have %d bytes, got %d",
        MAX_INFO_BYTES,
        server.getCompatibilityInfo().size());
  }

  private static void requireText(String field, String text, int min, int max) {
    require(
        text.length() >= min && text.length() <= max,
        "%s must have %d to %d characters, got %d",
        field,
        min,
        max,
        text.length());
    require(text.chars().noneMatch(Character::isISOControl), "%s has a control character", field);
  }

  private static void requireCount(String field, int count, int min, int max) {
    require(
        count >= min && count <= max,
        "%s must be %d to %d, got %d of them",
        field,
        min,
        max,
        count);
  }

  @FormatMethod
  private static void require(boolean valid, String format, Object... arguments) {
    if (!valid) {
      throw StatusException.invalidArgument(format, arguments);
    }
  }
}
