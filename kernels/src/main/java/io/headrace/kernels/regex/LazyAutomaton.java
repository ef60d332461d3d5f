package io.headrace.kernels.regex;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic automaton over the classes of a program's bytes, whose states are made when they
 * are first reached. Its states are bounded in bytes: beyond the bound it forgets all of them and
 * begins anew. Thread-safe.
 */
abstract class LazyAutomaton {
  /*
   * A transition is an int in `next`, at the row of its state and the column of the class: 0 if it
   * is not known yet, else the row of the next state, negated if the transition reports a match, or
   * one of the constants below. Runs read it without a lock: an int is read whole, states keep
   * their rows for the life of a cache, and a reader that misses an update of another thread finds
   * 0 and asks under the lock. A run holds on to its cache, so that forgetting does not disturb it.
   */

  /** No match follows. */
  static final int DEAD = Integer.MIN_VALUE;

  /** The transition reports a match, and no other follows. */
  static final int DEAD_MATCH = Integer.MIN_VALUE + 1;

  private static final int UNKNOWN = 0;
  private static final long MAX_BYTES = 5L << 19;
  private static final int MIN_STATES = 20;
  private static final int STATE_OVERHEAD_BYTES = 128;

  /** A run that makes a state for fewer bytes than this is better simulated. */
  private static final int MIN_BYTES_PER_STATE = 10;

  private static final int NEVER = -1;

  final RegexProgram program;
  final int stride;
  private volatile Cache cache;

  LazyAutomaton(RegexProgram program) {
    this.program = program;
    this.stride = program.classes() + 1;
    this.cache = new Cache(stride);
  }

  /** Whether enough states of {@code program} are within the bound. */
  static boolean fits(RegexProgram program) {
    long state = 4L * program.size() + 4L * (program.classes() + 1) + STATE_OVERHEAD_BYTES;
    return MIN_STATES * state <= MAX_BYTES;
  }

  /**
   * A set of instructions, in order of preference where that matters, and what is known of the byte
   * that was read last.
   */
  static final class State {
    private final int[] instructions;
    private final int context;
    private final int row;
    private final long[] bits;

    State(int[] instructions, int context, int row, long[] bits) {
      this.instructions = instructions;
      this.context = context;
      this.row = row;
      this.bits = bits;
    }

    int[] instructions() {
      return instructions;
    }

    int context() {
      return context;
    }

    /** Whether {@code pc} is one of the instructions, if the automaton keeps them as bits. */
    boolean contains(int pc) {
      return (bits[pc >> 6] >>> pc & 1) != 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof State state
          && context == state.context
          && Arrays.equals(instructions, state.instructions);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(instructions) + context;
    }
  }

  /** The states that are known. Guarded by the automaton, apart from reads of transitions. */
  static final class Cache {
    private final Map<State, State> states = new HashMap<>();
    private final int[] starts = new int[8];
    private volatile State[] byNumber = new State[16];
    private volatile int[] next;
    private int size = 1; // row 0 would be mistaken for an unknown transition
    private long bytes;

    Cache(int stride) {
      this.next = new int[16 * stride];
    }

    int[] next() {
      return next;
    }
  }

  /** One pass over a text, by one thread. */
  static final class Run {
    private Cache cache;
    private long forgottenAt = NEVER;
    private boolean isThrashing;

    Run(LazyAutomaton automaton) {
      this.cache = automaton.cache;
    }

    int[] next() {
      return cache.next;
    }

    /** Whether states were forgotten so soon that the run should be given up. */
    boolean isThrashing() {
      return isThrashing;
    }

    Cache cache() {
      return cache;
    }
  }

  /** The instructions and context of a state to make. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Content(int[] instructions, int context, boolean isMatch) {}

  /** The state behind {@code state} and a byte of class {@code cls}. Called under the lock. */
  abstract Content step(State state, int cls);

  /** The first state of kind {@code start}. Called under the lock. */
  abstract Content start(int start);

  /** Whether states keep their instructions as bits, too. */
  abstract boolean keepsBits();

  /** The row of the first state of kind {@code start}, 0 to 7, or {@link #DEAD}. */
  final int startRow(Run run, int start) {
    int row = run.cache.starts[start];
    boolean isKnown = row == DEAD || (row != UNKNOWN && row < run.cache.next.length);
    return isKnown ? row : makeStart(run, start);
  }

  private synchronized int makeStart(Run run, int start) {
    Content content = start(start);
    int row = content.instructions.length == 0 ? DEAD : intern(run, content, 0);
    run.cache.starts[start] = row;
    return row;
  }

  /**
   * The transition from {@code row} by class {@code cls}, made if it is not known. The run may have
   * another cache and other transitions after it.
   *
   * @param bytes the number of bytes that the run has read
   */
  final synchronized int transition(Run run, int row, int cls, long bytes) {
    Cache before = run.cache;
    int known = before.next[row + cls];
    if (known != UNKNOWN) {
      return known;
    }
    State state = before.byNumber[row / stride];
    Content content = step(state, cls);
    int result;
    if (content.instructions.length == 0) {
      result = content.isMatch ? DEAD_MATCH : DEAD;
    } else {
      int next = intern(run, content, bytes);
      result = content.isMatch ? -next : next;
    }
    if (run.cache == before) {
      before.next[row + cls] = result;
    }
    return result;
  }

  /** The row of a state, in the cache that the run has then. */
  private int intern(Run run, Content content, long bytes) {
    if (run.cache != cache) {
      change(run, cache, bytes);
    }
    State made = state(content, run.cache);
    State known = run.cache.states.get(made);
    if (known != null) {
      return known.row;
    }
    long size =
        STATE_OVERHEAD_BYTES + 4L * (made.instructions.length + stride) + 8L * made.bits.length;
    if (run.cache.bytes + size > MAX_BYTES) {
      cache = new Cache(stride);
      change(run, cache, bytes);
      made = state(content, run.cache);
    }
    add(run.cache, made, size);
    return made.row;
  }

  private static void change(Run run, Cache cache, long bytes) {
    long states = run.cache.size;
    run.isThrashing |=
        run.forgottenAt >= 0 && bytes - run.forgottenAt < MIN_BYTES_PER_STATE * states;
    run.forgottenAt = bytes;
    run.cache = cache;
  }

  private State state(Content content, Cache in) {
    long[] bits = new long[keepsBits() ? (program.size() >> 6) + 1 : 0];
    if (bits.length > 0) {
      for (int pc : content.instructions) {
        bits[pc >> 6] |= 1L << pc;
      }
    }
    return new State(content.instructions, content.context, in.size * stride, bits);
  }

  private void add(Cache cache, State state, long bytes) {
    int number = cache.size++;
    if (number == cache.byNumber.length) {
      cache.byNumber = Arrays.copyOf(cache.byNumber, 2 * number);
      cache.next = Arrays.copyOf(cache.next, 2 * number * stride);
    }
    cache.byNumber[number] = state;
    cache.states.put(state, state);
    cache.bytes += bytes;
  }

  /** The states of the rows that a run in {@code cache} has read, by row. */
  final synchronized State[] statesByNumber(Cache cache) {
    return cache.byNumber;
  }
}
