package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.status.StatusCode;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions on failed calls. */
final class StatusAssertions {
  private StatusAssertions() {}

  /**
   * Asserts that {@code call} fails with {@code code}; returns the assertion for further checks.
   */
  static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      StatusCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .satisfies(e -> assertThat(GrpcStatuses.fromGrpc(e).code()).isEqualTo(code));
  }
}
