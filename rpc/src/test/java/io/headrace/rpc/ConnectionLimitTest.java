package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConnectionLimitTest {
  private static final int LIMIT = 2;

  private final Logger logger = Logger.getLogger(ConnectionLimit.class.getName());
  private final List<Object> refused = new ArrayList<>();
  private Duration now = Duration.ZERO;
  private final ConnectionLimit limit = new ConnectionLimit(LIMIT, () -> now.toNanos());
  private final InetAddress first = address(1);
  private final InetAddress second = address(2);

  @BeforeEach
  void listen() {
    logger.setFilter(this::note);
  }

  @AfterEach
  void stopListening() {
    logger.setFilter(null);
  }

  /** Notes how many refusals a line reports, and keeps it out of the log of the tests. */
  private boolean note(LogRecord line) {
    refused.add(line.getParameters()[0]);
    return false;
  }

  @Test
  void admit_upToTheLimitOfEachAddress() {
    assertThat(limit.admit(first)).isTrue();
    assertThat(limit.admit(first)).isTrue();
    assertThat(limit.admit(first)).isFalse();
    assertThat(limit.admit(second)).isTrue();
  }

  @Test
  void release_makesRoomForAnother() {
    fill();
    limit.release(first);

    assertThat(limit.admit(first)).isTrue();
    assertThat(limit.admit(first)).isFalse();
  }

  @Test
  void refusals_areLoggedOnceAMinuteForEachAddress() {
    fill();
    for (int i = 0; i < 10; i++) {
      limit.admit(first);
    }
    assertThat(refused).hasSize(1);

    now = now.plusMinutes(1);
    limit.admit(first);
    assertThat(refused).containsExactly(1L, 10L);
  }

  @Test
  void refusals_ofAnAddressThatWentAway_areLoggedNoMoreOften() {
    for (int i = 0; i < 5; i++) {
      fill();
      limit.admit(first);
      limit.release(first);
      limit.release(first);
    }

    assertThat(refused).hasSize(1);
  }

  @Test
  void addressesWithoutConnections_areForgotten() {
    limit.admit(second);
    limit.release(second);
    assertThat(limit.size()).isZero();

    fill();
    limit.admit(first);
    limit.release(first);
    limit.release(first);
    assertThat(limit.size()).isEqualTo(1);
    now = now.plusMinutes(1);
    limit.sweep();
    assertThat(limit.size()).isZero();
  }

  private void fill() {
    for (int i = 0; i < LIMIT; i++) {
      assertThat(limit.admit(first)).isTrue();
    }
  }

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
