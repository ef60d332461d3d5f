package io.headrace.runtime.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StatusExceptionTest {
  @Test
  void toString_showsTheCode_andTheMessageDoesNot() {
    StatusException failure = StatusException.of(StatusCode.NOT_FOUND, "no file %s", "/x");

    assertThat(failure.toString()).endsWith("StatusException: NOT_FOUND: no file /x");
    assertThat(failure.message()).isEqualTo("no file /x");
  }
}
