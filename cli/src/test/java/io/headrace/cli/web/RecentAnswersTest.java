package io.headrace.cli.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class RecentAnswersTest {
  private static final Duration SHORT = Duration.ofMillis(1);

  private final List<CompletableFuture<String>> asked = new ArrayList<>();
  private long nanos;
  private final RecentAnswers<String, String> answers =
      new RecentAnswers<>(() -> nanos, Duration.ofSeconds(1), _ -> ask());

  private CompletableFuture<String> ask() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.add(answer);
    return answer;
  }

  @Test
  void server_isAskedOnceInAPeriod_forEachKey() {
    assertThatThrownBy(() -> answers.get("job", SHORT)).isInstanceOf(StatusException.class);
    asked.getFirst().complete("first");

    assertThat(answers.get("job")).isEqualTo("first");
    assertThat(asked).hasSize(1);

    nanos = Duration.ofSeconds(1).toNanos();
    assertThatThrownBy(() -> answers.get("job", SHORT)).isInstanceOf(StatusException.class);
    assertThatThrownBy(() -> answers.get("other", SHORT)).isInstanceOf(StatusException.class);
    assertThat(asked).hasSize(3);
  }

  @Test
  void serverThatDoesNotAnswer_isNotAskedAgain() {
    for (int i = 0; i < 3; i++) {
      nanos = i * Duration.ofHours(1).toNanos();
      assertThatThrownBy(() -> answers.get("job", SHORT))
          .isInstanceOfSatisfying(
              StatusException.class,
              e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
    }

    assertThat(asked).hasSize(1);
  }

  @Test
  void failure_isTheServers() {
    assertThatThrownBy(() -> answers.get("job", SHORT)).isInstanceOf(StatusException.class);
    asked
        .getFirst()
        .completeExceptionally(new StatusException(StatusCode.NOT_FOUND, "no job \"job\""));

    assertThatThrownBy(() -> answers.get("job"))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND))
        .hasMessage("no job \"job\"");
  }
}
