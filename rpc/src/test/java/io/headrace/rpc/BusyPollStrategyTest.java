package io.headrace.rpc;

import static io.grpc.netty.shaded.io.netty.channel.SelectStrategy.CONTINUE;
import static io.grpc.netty.shaded.io.netty.channel.SelectStrategy.SELECT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** When an event loop polls, and when it sleeps. */
final class BusyPollStrategyTest {
  private static final long SHORT = BusyPollStrategy.LONGEST_NANOS / 2;
  private static final long LONG = 2 * BusyPollStrategy.LONGEST_NANOS;

  private final AtomicBoolean taken = new AtomicBoolean();
  private long now = 1;
  private final BusyPollStrategy waits = new BusyPollStrategy(() -> now, taken);

  private static int next(BusyPollStrategy loop, int ready, boolean hasTasks) throws Exception {
    return loop.calculateStrategy(() -> ready, hasTasks);
  }

  private int next(int ready) throws Exception {
    return next(waits, ready, /* hasTasks= */ false);
  }

  /** A short wait, after which the next one polls. */
  private void waitShortly() throws Exception {
    assertThat(next(0)).isEqualTo(SELECT);
    now += SHORT;
  }

  @Test
  void loop_sleeps_atFirst_andAfterALongWait() throws Exception {
    assertThat(next(0)).isEqualTo(SELECT);
    now += LONG;
    assertThat(next(0)).isEqualTo(SELECT);
  }

  @Test
  void loop_looks_afterAShortWait_untilSomethingIsReady() throws Exception {
    waitShortly();
    assertThat(next(0)).isEqualTo(CONTINUE);
    now += SHORT;
    assertThat(next(0)).isEqualTo(CONTINUE);
    assertThat(next(1)).isEqualTo(1);
    assertThat(taken).isFalse();
    assertThat(next(0)).as("it came soon").isEqualTo(CONTINUE);
  }

  @Test
  void loop_sleeps_whenItHasLookedInVain_untilAWaitIsShortAgain() throws Exception {
    waitShortly();
    assertThat(next(0)).isEqualTo(CONTINUE);
    now += LONG;
    assertThat(next(0)).isEqualTo(SELECT);
    assertThat(taken).isFalse();
    now += SHORT;
    assertThat(next(0)).as("the whole wait was long").isEqualTo(SELECT);
    now += SHORT;
    assertThat(next(0)).isEqualTo(CONTINUE);
  }

  @Test
  void tasks_areRunAtOnce() throws Exception {
    assertThat(next(waits, 0, /* hasTasks= */ true)).isZero();
    waitShortly();
    assertThat(next(0)).isEqualTo(CONTINUE);
    assertThat(next(waits, 0, /* hasTasks= */ true)).isZero();
    assertThat(taken).isFalse();
  }

  @Test
  void oneLoop_looksAtATime() throws Exception {
    BusyPollStrategy other = new BusyPollStrategy(() -> now, taken);
    assertThat(next(other, 0, /* hasTasks= */ false)).isEqualTo(SELECT);
    waitShortly();
    assertThat(next(0)).isEqualTo(CONTINUE);
    assertThat(next(other, 0, /* hasTasks= */ false)).isEqualTo(SELECT);
    assertThat(next(1)).isEqualTo(1);
    now += SHORT;
    assertThat(next(other, 0, /* hasTasks= */ false)).isEqualTo(CONTINUE);
  }
}
