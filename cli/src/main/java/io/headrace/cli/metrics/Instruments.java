package io.headrace.cli.metrics;

import static io.headrace.cli.metrics.Instrument.Kind.AMOUNT;
import static io.headrace.cli.metrics.Instrument.Kind.COUNTER;
import static io.headrace.cli.metrics.Instrument.Kind.GAUGE;
import static io.headrace.cli.metrics.Instrument.Kind.HISTOGRAM;

import io.headrace.dispatcher.DispatchServer;
import java.util.List;

/** The metrics of all processes: {@code docs/metrics.md} is generated from these lists. */
final class Instruments {
  // A dispatcher's, over the whole cluster.

  static final Instrument ANSWERS =
      gauge(
          "headrace.answers",
          "{answer}",
          "1 if the dispatcher answered within five seconds; 0, and none of the following, if not:"
              + " its journal hangs, or it is overloaded");
  static final Instrument UPTIME =
      gauge("headrace.uptime", "s", "the time since the dispatcher's start", "version");
  static final Instrument WORKERS =
      amount(
          "headrace.workers",
          "{worker}",
          "workers: `registered`, `draining`, `lost`, `left` or `unheard`, as `headrace status` has"
              + " it",
          "state");
  static final Instrument OPTIMAL_WORKERS =
      gauge(
          "headrace.workers.optimal",
          "{worker}",
          "the workers that would keep pace with the readers, as TensorFlow's auto-scaler estimates"
              + " it: of the iteration that can use the most, at most four times the present"
              + " number, and 500 more. None while no worker or no reader tells its times");
  static final Instrument JOBS =
      amount("headrace.jobs", "{job}", "jobs, names that are kept without a reader included");
  static final Instrument ITERATIONS =
      amount("headrace.iterations", "{iteration}", "iterations that were not read to their end");
  static final Instrument READERS = amount("headrace.readers", "{reader}", "readers");
  static final Instrument DATASETS = amount("headrace.datasets", "{dataset}", "datasets");
  static final Instrument DATASET_SIZE =
      amount("headrace.dataset.size", "By", "the graphs of all datasets");
  static final Instrument JOURNAL_COMMIT =
      new Instrument(
          DispatchServer.COMMIT_SECONDS,
          HISTOGRAM,
          "s",
          List.of(),
          "how long changes took to become durable");
  static final Instrument JOURNAL_RECORDS =
      amount("headrace.journal.records", "{record}", "the records of the journal");
  static final Instrument JOURNAL_SIZE =
      amount("headrace.journal.size", "By", "their bytes, without what the storage adds");
  static final Instrument JOURNAL_REFUSES =
      gauge(
          "headrace.journal.refuses",
          "{refusal}",
          "1 while the journal refuses changes, otherwise 0");
  static final Instrument LOOP_TURNS =
      counter("headrace.loop.turns", "{turn}", "turns of the dispatcher's loop");
  static final Instrument LOOP_WAITING =
      amount("headrace.loop.waiting", "{request}", "requests that wait for the next turn");

  // A dispatcher's, by job.

  static final Instrument JOB_READERS =
      amount("headrace.job.readers", "{reader}", "the job's readers", "job_name");
  static final Instrument JOB_TASKS =
      amount("headrace.job.tasks", "{task}", "its active tasks", "job_name");
  static final Instrument JOB_SPLITS =
      amount(
          "headrace.job.splits",
          "{split}",
          "with dynamic sharding, the splits of its iterations: `all`, and `handed_out` to workers",
          "job_name",
          "state");
  static final Instrument JOB_UNSERVED =
      amount(
          "headrace.job.unserved_shares",
          "{share}",
          "with static sharding, shares without a worker for longer than the time-out",
          "job_name");
  static final Instrument JOB_WAIT =
      gauge(
          "headrace.job.wait_ratio",
          "1",
          "the share of their time that readers wait, of the last ten to twenty seconds; of stock"
              + " readers the most that it can be. The 16 jobs with the most readers",
          "job_name");
  static final Instrument JOB_LIMIT =
      gauge(
          "headrace.job.limit",
          "{limit}",
          "1 for what limits the job, by its [code](operating.md#why-a-trainer-waits). The 16 jobs"
              + " with the most readers",
          "job_name",
          "code");
  static final Instrument READER_ROWS =
      counter(
          "headrace.reader.rows",
          "{element}",
          "elements that users of Java readers took",
          "job_name");
  static final Instrument READER_WAIT =
      counter(
          "headrace.reader.wait",
          "s",
          "how long users of Java readers waited for elements",
          "job_name");
  static final Instrument JOB_ROWS =
      counter(
          "headrace.job.rows",
          "{row}",
          "rows that readers of any kind took from Headrace's workers",
          "job_name");
  static final Instrument JOB_DATA = counter("headrace.job.data", "By", "their bytes", "job_name");
  static final Instrument BUFFER_TIME =
      counter(
          "headrace.buffer.time",
          "s",
          "how long readers waited at tasks without a row (`empty`) or whose rows were not"
              + " announced yet (`withheld`), and tasks for room in their buffers (`full`)",
          "job_name",
          "state");
  static final Instrument STAGE_TIME =
      counter(
          "headrace.stage.time",
          "s",
          "how the time of a stage goes: `busy`, `starved`, `blocked`. On each worker the three add"
              + " up to the time that its passes run",
          "job_name",
          "stage",
          "state");
  static final Instrument STAGE_ROWS =
      counter("headrace.stage.rows", "{row}", "rows that a stage returned", "job_name", "stage");
  static final Instrument TASKS_LOST =
      counter(
          "headrace.tasks.lost",
          "{task}",
          "tasks that ended before the end of their elements, if their worker was lost, or elements"
              + " may be missing",
          "job_name");
  static final Instrument SPLITS_MISSING =
      counter(
          "headrace.splits.missing",
          "{split}",
          "the most splits that are missing with them",
          "job_name");
  static final Instrument RECORDS_MISSING =
      counter(
          "headrace.records.missing",
          "{element}",
          "where deliveries are announced, the most elements that are missing with them",
          "job_name");

  // A dispatcher's, by worker.

  static final Instrument WORKER_SILENCE =
      gauge(
          "headrace.worker.silence",
          "s",
          "the time since the worker answered or spoke. The first 500 workers",
          "worker");
  static final Instrument WORKER_ACTIVE =
      amount(
          "headrace.worker.active_tasks",
          "{task}",
          "its active tasks. The first 500 workers",
          "worker");

  /** A dispatcher's. */
  static final List<Instrument> DISPATCHER =
      List.of(
          ANSWERS,
          UPTIME,
          WORKERS,
          OPTIMAL_WORKERS,
          JOBS,
          ITERATIONS,
          READERS,
          DATASETS,
          DATASET_SIZE,
          JOURNAL_COMMIT,
          JOURNAL_RECORDS,
          JOURNAL_SIZE,
          JOURNAL_REFUSES,
          LOOP_TURNS,
          LOOP_WAITING,
          JOB_READERS,
          JOB_TASKS,
          JOB_SPLITS,
          JOB_UNSERVED,
          JOB_WAIT,
          JOB_LIMIT,
          READER_ROWS,
          READER_WAIT,
          JOB_ROWS,
          JOB_DATA,
          BUFFER_TIME,
          STAGE_TIME,
          STAGE_ROWS,
          TASKS_LOST,
          SPLITS_MISSING,
          RECORDS_MISSING,
          WORKER_SILENCE,
          WORKER_ACTIVE);

  // A worker's own.

  static final Instrument REGISTERED =
      gauge(
          "headrace.worker.registered",
          "{registration}",
          "1 once the dispatcher has answered the worker's registration");
  static final Instrument TASKS = amount("headrace.worker.tasks", "{task}", "its live tasks");
  static final Instrument TASKS_DELETED =
      counter(
          "headrace.worker.tasks.deleted",
          "{task}",
          "tasks that it deleted, as its dispatcher told it to");
  static final Instrument ROWS = counter("headrace.worker.rows", "{row}", "rows that readers took");
  static final Instrument DATA = counter("headrace.worker.data", "By", "their bytes");
  static final Instrument ERRORS_IGNORED =
      counter(
          "headrace.worker.errors.ignored",
          "{element}",
          "elements that failed and that ignore_errors left out");
  static final Instrument WORKER_BUFFER_TIME =
      counter("headrace.worker.buffer.time", "s", "as headrace_buffer_time_seconds_total", "state");
  static final Instrument WORKER_STAGE_TIME =
      counter(
          "headrace.worker.stage.time",
          "s",
          "the work of stages of a name, in all threads together (`busy`), and their waits for"
              + " input, in all passes over them together (`starved`)",
          "stage",
          "state");
  static final Instrument WORKER_STAGE_ROWS =
      counter("headrace.worker.stage.rows", "{row}", "rows that they returned", "stage");

  /** A worker's. */
  static final List<Instrument> WORKER =
      List.of(
          REGISTERED,
          TASKS,
          TASKS_DELETED,
          ROWS,
          DATA,
          ERRORS_IGNORED,
          WORKER_BUFFER_TIME,
          WORKER_STAGE_TIME,
          WORKER_STAGE_ROWS);

  // Those of any process.

  static final Instrument LEFT_OUT =
      gauge(
          "headrace.metrics.left_out",
          "{series}",
          "series that the last reading left out, since a process has 10,000 at most, and jobs and"
              + " stages that it keeps no sums for");
  static final Instrument MEMORY_USED =
      amount("jvm.memory.used", "By", "memory in use", "jvm.memory.type", "jvm.memory.pool.name");
  static final Instrument MEMORY_COMMITTED =
      amount(
          "jvm.memory.committed",
          "By",
          "memory that the JVM has of the system",
          "jvm.memory.type",
          "jvm.memory.pool.name");
  static final Instrument MEMORY_LIMIT =
      amount(
          "jvm.memory.limit",
          "By",
          "the most that it may have, where that is bounded",
          "jvm.memory.type",
          "jvm.memory.pool.name");
  static final Instrument THREADS =
      amount("jvm.thread.count", "{thread}", "platform threads", "jvm.thread.daemon");
  static final Instrument CLASSES = amount("jvm.class.count", "{class}", "loaded classes");
  static final Instrument CPU_TIME = counter("jvm.cpu.time", "s", "processor time");
  static final Instrument CPU_COUNT = amount("jvm.cpu.count", "{cpu}", "processors");
  static final Instrument CPU_UTILIZATION =
      gauge(
          "jvm.cpu.recent_utilization",
          "1",
          "the share of all processors that the process used recently");
  static final Instrument GC =
      new Instrument(
          "jvm.gc.duration",
          HISTOGRAM,
          "s",
          List.of("jvm.gc.name", "jvm.gc.action"),
          "how long garbage collections took");

  /** Those of any process, but the garbage collections. */
  static final List<Instrument> PROCESS =
      List.of(
          LEFT_OUT,
          MEMORY_USED,
          MEMORY_COMMITTED,
          MEMORY_LIMIT,
          THREADS,
          CLASSES,
          CPU_TIME,
          CPU_COUNT,
          CPU_UTILIZATION,
          GC);

  // gRPC's own.

  private static final String METHOD = "grpc.method";
  private static final String STATUS = "grpc.status";
  private static final String TARGET = "grpc.target";

  /** gRPC's own, as its proposal A66 has them. */
  static final List<Instrument> GRPC =
      List.of(
          counter("grpc.server.call.started", "{call}", "calls that came", METHOD),
          histogram("grpc.server.call.duration", "s", "how long they took", METHOD, STATUS),
          histogram(
              "grpc.server.call.sent_total_compressed_message_size",
              "By",
              "the replies of a call",
              METHOD,
              STATUS),
          histogram(
              "grpc.server.call.rcvd_total_compressed_message_size",
              "By",
              "the requests of a call",
              METHOD,
              STATUS),
          counter("grpc.client.attempt.started", "{attempt}", "calls of others", METHOD, TARGET),
          histogram(
              "grpc.client.attempt.duration",
              "s",
              "how long they took on their connections",
              METHOD,
              STATUS,
              TARGET),
          histogram(
              "grpc.client.attempt.sent_total_compressed_message_size",
              "By",
              "the requests of a call",
              METHOD,
              STATUS,
              TARGET),
          histogram(
              "grpc.client.attempt.rcvd_total_compressed_message_size",
              "By",
              "the replies of a call",
              METHOD,
              STATUS,
              TARGET),
          histogram(
              "grpc.client.call.duration",
              "s",
              "how long they took with the wait for a connection",
              METHOD,
              STATUS,
              TARGET));

  private Instruments() {}

  private static Instrument histogram(String name, String unit, String meaning, String... labels) {
    return new Instrument(name, HISTOGRAM, unit, List.of(labels), meaning);
  }

  private static Instrument counter(String name, String unit, String meaning, String... labels) {
    return new Instrument(name, COUNTER, unit, List.of(labels), meaning);
  }

  private static Instrument amount(String name, String unit, String meaning, String... labels) {
    return new Instrument(name, AMOUNT, unit, List.of(labels), meaning);
  }

  private static Instrument gauge(String name, String unit, String meaning, String... labels) {
    return new Instrument(name, GAUGE, unit, List.of(labels), meaning);
  }
}
