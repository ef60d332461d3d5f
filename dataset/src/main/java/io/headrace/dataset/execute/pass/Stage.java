package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.op.KernelTimes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A transformation or source of a measured pass, and where its time goes. Iterators at the same
 * place of the pipeline are one stage: those of all repetitions, and those of all inner passes that
 * a flat map or interleave opens. Thread-safe.
 */
public final class Stage {
  /*
   * A stage spends the time of its own threads: in its input's next (starved), in its own work
   * (busy), or neither, since its consumer does not call it or has no room (blocked). Only the time
   * inside each iterator's next is measured, and the time that next waits for threads of the
   * iterator's own; the rest is subtraction, when somebody asks. Most stages run on the thread of
   * their consumer, which is inside an input's next while it is inside theirs. A stage that reads
   * ahead has threads of its own for that.
   */

  /** Of passes that are not measured: it counts nothing. */
  static final Stage UNMEASURED = new Stage(null, null, 0, "", 1);

  /** The place of the only input, or of what is read like one. */
  static final int INPUT = 0;

  /** The place of passes over datasets that a function makes, and of repetitions. */
  static final int INNER = 1;

  /** The place of the first of several inputs. */
  static final int FIRST_OF_SEVERAL = 2;

  /** Further stages of a pass count as parts of their consumers. */
  private static final int MAX_STAGES = 64;

  /** Most ops of a stage's function that its figures have. */
  private static final int MAX_KERNELS = 8;

  /** Most iterators of a stage that are measured at a time. */
  private static final int MAX_OPEN = 4096;

  private static final StageTime UNMEASURED_TIME = new StageTime();

  private final @Nullable Pass pass;
  private final @Nullable Stage consumer;
  private final int place;
  private final String name;
  private final int lanes;

  @GuardedBy("inputs")
  private final List<Stage> inputs = new ArrayList<>();

  private final KernelTimes kernels;
  private final Times inside = new Times(StageRecorder.Kind.NEXT);
  private final Times waiting = new Times(StageRecorder.Kind.WAIT);
  private final Times working = new Times(StageRecorder.Kind.WORK);
  private final AtomicInteger threads = new AtomicInteger();
  private volatile boolean readsAhead;
  private volatile int innerLanes;
  private volatile int maxThreads = 1;
  private volatile String function = "";

  /** The common parts of a pass's stages. */
  static final class Pass {
    private final StageClock clock;
    private final AtomicInteger stages = new AtomicInteger();
    private volatile @Nullable StageRecorder recorder;

    private Pass(StageClock clock) {
      this.clock = clock;
    }

    StageClock clock() {
      return clock;
    }

    private synchronized void start(StageRecorder started) {
      recorder = started;
    }

    private synchronized void stop(StageRecorder stopped) {
      if (recorder == stopped) {
        recorder = null;
      }
    }

    /** Gets the calls of the pass's stages; null while nobody asks for them. */
    @Nullable StageRecorder recorder() {
      return recorder;
    }
  }

  /**
   * The place of a stage in its pass.
   *
   * @param stage the stage
   * @param consumer the index of the stage that reads it, -1 for the user of the pass
   * @param name the name of its iterators in an {@link IteratorPath}
   * @param function the function that it calls; empty for none
   * @param readAhead whether threads of its consumer's own read it: its calls are not within the
   *     consumer's
   */
  public record Place(Stage stage, int consumer, String name, String function, boolean readAhead) {}

  /**
   * Sums of a stage since its pass began.
   *
   * @param consumer the index of the stage that reads it, -1 for the user of the pass
   * @param name the name of its iterators in an {@link IteratorPath}
   * @param function the function that it calls; empty for none
   * @param rows the rows that it returned
   * @param busyNanos the time in which it worked, in all of {@code threads}
   * @param starvedNanos the time in which it waited for its input, in all of {@code lanes}
   * @param threads the threads that work for it now, at least 1
   * @param maxThreads the most threads that may
   * @param lanes the passes over it that are read at the same time now, at least 1
   * @param fills how often a reader came to its buffer
   * @param fillPermille the sum of how full the buffer was then, in thousandths
   * @param kernels the ops of its function that took the most time
   */
  public record Figures(
      int consumer,
      String name,
      String function,
      long rows,
      long busyNanos,
      long starvedNanos,
      int threads,
      int maxThreads,
      int lanes,
      long fills,
      long fillPermille,
      List<KernelTimes.OpTime> kernels) {}

  /** Times of the same kind. */
  final class Times {
    private final StageRecorder.Kind kind;
    private final Set<StageTime> open = new HashSet<>();
    private long closedNanos;
    private long closedRows;
    private long closedFills;
    private long closedFillPermille;

    private Times(StageRecorder.Kind kind) {
      this.kind = kind;
    }

    Stage stage() {
      return Stage.this;
    }

    StageRecorder.Kind kind() {
      return kind;
    }

    private synchronized StageTime open(Pass of) {
      if (open.size() >= MAX_OPEN) {
        return UNMEASURED_TIME;
      }
      StageTime time = new StageTime(of, this);
      open.add(time);
      return time;
    }

    synchronized void close(StageTime time) {
      if (open.remove(time)) {
        closedNanos += time.endedNanos();
        closedRows += time.rows();
        closedFills += time.fills();
        closedFillPermille += time.fillPermille();
      }
    }

    private synchronized int numOpen() {
      return open.size();
    }

    private synchronized List<StageRecorder.Call> openCalls(StageRecorder recorder, long now) {
      return open.stream().flatMap(time -> time.openCall(recorder, now).stream()).toList();
    }

    private synchronized long nanos(long now) {
      return closedNanos + sum(time -> time.nanos(now));
    }

    private synchronized long rows() {
      return closedRows + sum(StageTime::rows);
    }

    private synchronized long fills() {
      return closedFills + sum(StageTime::fills);
    }

    private synchronized long fillPermille() {
      return closedFillPermille + sum(StageTime::fillPermille);
    }

    @GuardedBy("this")
    private long sum(ToLongFunction<StageTime> of) {
      return open.stream().mapToLong(of).sum();
    }
  }

  private Stage(@Nullable Pass pass, @Nullable Stage consumer, int place, String name, int lanes) {
    this.pass = pass;
    this.consumer = consumer;
    this.place = place;
    this.name = name;
    this.lanes = lanes;
    kernels = pass == null ? KernelTimes.NONE : KernelTimes.by(pass.clock()::nanos);
  }

  /** The user of a new pass, whose stages measure by {@code clock}. */
  public static Stage ofPass(StageClock clock) {
    return new Stage(new Pass(clock), null, INPUT, "", 1);
  }

  boolean isMeasured() {
    return pass != null;
  }

  /** The stage {@code inputName} that this one reads at {@code inputPlace}. */
  Stage input(int inputPlace, String inputName) {
    if (pass == null) {
      return UNMEASURED;
    }
    synchronized (inputs) {
      for (Stage input : inputs) {
        if (input.place == inputPlace && input.name.equals(inputName)) {
          return input;
        }
      }
      if (pass.stages.getAndIncrement() >= MAX_STAGES) {
        return UNMEASURED;
      }
      int atATime = inputPlace == INNER ? lanes * Math.max(1, innerLanes) : lanes;
      Stage made = new Stage(pass, this, inputPlace, inputName, atATime);
      inputs.add(made);
      return made;
    }
  }

  /** A new measurement of the calls of one of the stage's iterators. */
  StageTime inside() {
    return time(inside);
  }

  /**
   * A new measurement of the time in which one of its iterators waits, inside its next, for threads
   * of its own.
   */
  public StageTime waiting() {
    return time(waiting);
  }

  /** A new measurement of the work of a thread of the stage's own, which it counts from now on. */
  public StageTime working() {
    return time(working);
  }

  private StageTime time(Times of) {
    return pass == null ? UNMEASURED_TIME : of.open(pass);
  }

  /** Its inputs are read by threads of its own from now on. */
  public void readsAhead() {
    if (pass != null) {
      readsAhead = true;
    }
  }

  /** Inner passes are read by threads of their own, at most {@code atATime} of them at a time. */
  public void readsInnerPassesAhead(int atATime) {
    if (pass != null) {
      innerLanes = atATime;
    }
  }

  /** At most {@code most} threads work for an iterator of the stage. */
  public void mayUse(int most) {
    if (pass != null) {
      maxThreads = most;
    }
  }

  /** The number of threads that work for the stage has changed. */
  public void addThreads(int more) {
    if (pass != null) {
      threads.addAndGet(more);
    }
  }

  /**
   * The stage calls a function; of several, the first is its name.
   *
   * @return what measures the functions' kernels
   */
  KernelTimes calls(String functionName) {
    if (pass != null && function.isEmpty()) {
      function = functionName;
    }
    return kernels;
  }

  /** The sums of all stages of a pass, each behind its consumer. Called on the pass's user. */
  public List<Figures> figures() {
    List<Figures> all = new ArrayList<>();
    if (pass != null) {
      addInputs(pass.clock().nanos(), -1, all);
    }
    return all;
  }

  /**
   * Has the calls of all stages of the pass recorded from now on, in addition to their sums. Called
   * on the pass's user.
   *
   * @param recorder gets them, in the place of an earlier one
   */
  public void record(StageRecorder recorder) {
    if (pass != null) {
      pass.start(recorder);
    }
  }

  /** Ends what {@link #record} began, unless another recorder has taken the place of this one. */
  public void stopRecording(StageRecorder recorder) {
    if (pass != null) {
      pass.stop(recorder);
    }
  }

  /** All stages of the pass, in the order of their {@link #figures}. Called on the pass's user. */
  public List<Place> places() {
    List<Place> all = new ArrayList<>();
    addPlaces(-1, all);
    return all;
  }

  private void addPlaces(int index, List<Place> all) {
    for (Stage input : inputs()) {
      int of = all.size();
      all.add(new Place(input, index, input.name, input.function, isReadAhead(input)));
      input.addPlaces(of, all);
    }
  }

  /**
   * The calls of the stage that have not ended. For any thread.
   *
   * @param recorder the recorder that may have seen them begin
   * @param nowNanos the present time, which stands for their end
   */
  public List<StageRecorder.Call> openCalls(StageRecorder recorder, long nowNanos) {
    return Stream.of(inside, waiting, working)
        .flatMap(times -> times.openCalls(recorder, nowNanos).stream())
        .toList();
  }

  private void addInputs(long now, int index, List<Figures> all) {
    for (Stage input : inputs()) {
      int of = all.size();
      all.add(input.figures(now, index));
      input.addInputs(now, of, all);
    }
  }

  /** Whether threads of this stage's own read {@code input}. */
  private boolean isReadAhead(Stage input) {
    return input.place == INNER ? innerLanes > 0 : readsAhead && input.place == INPUT;
  }

  private List<Stage> inputs() {
    synchronized (inputs) {
      return List.copyOf(inputs);
    }
  }

  private Figures figures(long now, int index) {
    long below = 0;
    long ahead = 0;
    for (Stage input : inputs()) {
      if (readsAhead && input.place == INPUT) {
        ahead += input.inside.nanos(now);
      } else if (innerLanes == 0 || input.place != INNER) {
        below += input.inside.nanos(now);
      }
    }
    long waited = waiting.nanos(now);
    long own = Math.max(0, inside.nanos(now) - waited - below);
    int lanesNow = Math.clamp(inside.numOpen(), 1, lanes);
    return new Figures(
        index,
        name,
        function,
        inside.rows(),
        own + working.nanos(now),
        readsAhead ? ahead : below + waited,
        Math.max(threads.get(), lanesNow),
        Math.max(maxThreads * lanes, 1),
        lanesNow,
        waiting.fills(),
        waiting.fillPermille(),
        kernels.largest(MAX_KERNELS));
  }

  /** Its name, behind those of its consumers. */
  @Override
  public String toString() {
    return consumer == null ? name : consumer + "::" + name;
  }
}
