package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WorkerAddressListTest {
  private final Workers workers = new Workers();

  @Test
  void emptyList_admitsAll() {
    assertThat(admits(List.of(), "anywhere:1")).isTrue();
  }

  @Test
  void address_admitsItself() {
    assertThat(admits(List.of("a:1"), "a:1")).isTrue();
    assertThat(admits(List.of("a:1"), "a:2")).isFalse();
  }

  @Test
  void host_admitsAnyPortOfIt() {
    assertThat(admits(List.of("a"), "a:1")).isTrue();
    assertThat(admits(List.of("a:%port%"), "a:1")).isTrue();
    assertThat(admits(List.of("a:%port_grpc%"), "a:1")).isTrue();
    assertThat(admits(List.of("a"), "b:1")).isFalse();
  }

  @Test
  void host_withColonsAndSlashes_isSplitAtTheLastColon() {
    assertThat(admits(List.of("[::1]"), "[::1]:5")).isTrue();
    assertThat(admits(List.of("/bns/x/y:%port%"), "/bns/x/y:5")).isTrue();
  }

  @Test
  void host_admitsOneWorkerOnly() {
    register("a:1");

    assertThat(admits(List.of("a"), "a:2")).isFalse();
    assertThat(admits(List.of("a", "a"), "a:2")).isTrue();
  }

  @Test
  void registeredWorker_isAdmittedAgain() {
    register("a:1");

    assertThat(admits(List.of("a"), "a:1")).isTrue();
  }

  private boolean admits(List<String> entries, String address) {
    try {
      new WorkerAddressList(entries).requireAdmits(address, workers);
      return true;
    } catch (StatusException e) {
      return false;
    }
  }

  private void register(String address) {
    workers.register(WorkerRegistered.newBuilder().setWorkerAddress(address).build());
  }
}
