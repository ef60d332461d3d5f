package io.headrace.kernels.kit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class NativeLoopsTest {
  @Test
  @EnabledOnOs(OS.LINUX)
  void levels_onLinux() {
    // Where arrays can't be pinned, there must be none.
    assertThat(NativeLoops.levels().isEmpty()).isEqualTo(!ArrayPinning.isSafe());
    assertThat(NativeLoops.find().isPresent()).isEqualTo(ArrayPinning.isSafe());
  }
}
