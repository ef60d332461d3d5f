package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class WorkerAddressListTest {
  private static final LivenessView NO_WORKER_IS_LOST = new SoftState();

  private final DispatcherState state = new DispatcherState();

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

  @Test
  void place_isTheFirstThatFits_anAddressBeforeAHost() {
    assertThat(place(List.of("b", "a", "a:%port%", "a:1"), "a:1")).hasValue(3);
    assertThat(place(List.of("b", "a", "a:%port%", "a:1"), "a:2")).hasValue(1);
    assertThat(place(List.of(), "a:2")).isEmpty();
  }

  @Test
  void place_thatAWorkerHas_isItsOwn_unlessTheListIsAnother() {
    register("a:2", 1);

    assertThat(place(List.of("a", "a"), "a:2")).hasValue(1);
    assertThat(place(List.of("a", "b"), "a:2")).hasValue(0);
    assertThat(place(List.of("a"), "a:2")).hasValue(0);
  }

  private boolean admits(List<String> entries, String address) {
    try {
      var _ = new WorkerAddressList(entries).place(address, state.workers(), NO_WORKER_IS_LOST);
      return true;
    } catch (StatusException e) {
      return false;
    }
  }

  private OptionalLong place(List<String> entries, String address) {
    return new WorkerAddressList(entries).place(address, state.workers(), NO_WORKER_IS_LOST);
  }

  private void register(String address) {
    register(address, 0);
  }

  private void register(String address, long index) {
    var worker = WorkerRegistered.newBuilder().setWorkerAddress(address).setWorkerIndex(index);
    state.apply(JournalRecord.newBuilder().setWorkerRegistered(worker).build());
  }
}
