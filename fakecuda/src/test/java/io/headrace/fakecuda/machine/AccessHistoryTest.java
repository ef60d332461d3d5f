package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Accesses of operations on two streams: odd numbers on one, even ones on the other. */
final class AccessHistoryTest {
  private static final AccessOrder TWO_STREAMS =
      (earlier, later) -> earlier < later && (earlier & 1) == (later & 1);

  private final DeviceMemory memory = new DeviceMemory(1 << 20, TWO_STREAMS);
  private final long address = memory.allocate(8).orElseThrow();

  @Test
  void operationsOfOneStream_areOrdered() {
    memory.write(address, new byte[8], 1);

    assertThat(memory.read(address, 8, 3)).hasSize(8);
    assertThatCode(() -> memory.write(address, new byte[8], 5)).doesNotThrowAnyException();
  }

  @Test
  void readBehindAWriteOfAnotherStream_isARace() {
    memory.write(address, new byte[8], 1);

    assertThatThrownBy(() -> memory.read(address, 8, 2))
        .hasMessage("operation 2 reads byte 0, which operation 1 wrote, and nothing orders them");
  }

  @Test
  void writeBehindReadsOfBothStreams_isARace() {
    DeviceMemory joined =
        new DeviceMemory(
            1 << 20, (earlier, later) -> earlier == 1 || TWO_STREAMS.isBefore(earlier, later));
    long word = joined.allocate(4).orElseThrow();
    joined.write(word, new byte[4], 1);
    var _ = joined.read(word, 4, 2);
    var _ = joined.read(word, 4, 3);

    // The last reader is of the same stream; the one before it is not.
    assertThatThrownBy(() -> joined.write(word, new byte[4], 5)).isInstanceOf(GpuFault.class);
  }

  @Test
  void freeBehindAReadOfAnotherStream_isARace() {
    memory.write(address, new byte[8], 1);

    assertThatThrownBy(() -> memory.free(address, 2)).isInstanceOf(GpuFault.class);
    memory.free(address, 3);
    assertThat(memory.leaks()).isEmpty();
  }

  @Test
  void free_ofWhatIsNoAllocation_isAFault() {
    assertThatThrownBy(() -> memory.free(address + 4, 1)).hasMessageContaining("no allocation");
    memory.free(address, 1);
    assertThatThrownBy(() -> memory.free(address, 3)).hasMessageContaining("freed twice");
  }

  @Test
  void allocation_beyondTheCapacity_isRefused() {
    assertThat(memory.allocate(1 << 20)).isEmpty();
    assertThat(memory.allocate((1 << 20) - 8)).isPresent();
    assertThat(memory.free()).isZero();
  }

  @Test
  void copyWithinTheDevice_leavesUndefinedBytesUndefined() {
    memory.write(address, new byte[] {1, 2, 3, 4}, 1);
    long copy = memory.allocate(8).orElseThrow();
    memory.copy(copy, address, 8, 3);

    assertThat(memory.read(copy, 4, 5)).containsExactly(1, 2, 3, 4);
    assertThatThrownBy(() -> memory.read(copy, 8, 5)).hasMessageContaining("before a write");
  }
}
