package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.ptx.PtxException;
import org.junit.jupiter.api.Test;

final class GpuModuleTest {
  private static final int BYTES = 1024;

  @Test
  void moduleThatDoesNotCompile_leavesNoVariables() {
    DeviceMemory memory = new DeviceMemory(BYTES);
    String wrong =
        """
        .version 7.0
        .target sm_70
        .address_size 64
        .global .u32 table[4] = {1, 2, 3, 4};
        .visible .entry k() { .reg .b32 %r1; fly.u32 %r1, 1; ret; }
        """;

    assertThatThrownBy(() -> GpuModule.load(memory, wrong)).isInstanceOf(PtxException.class);

    assertThat(memory.leaks()).isEmpty();
    assertThat(memory.free()).isEqualTo(BYTES);
  }
}
