package io.headrace.gpu.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class GpuOptionsTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1L << 30;

  @Test
  void emptyList_isAllDevices() {
    assertThat(GpuOptions.DEFAULT.visibleDevices(3)).containsExactly(0, 1, 2);
  }

  @Test
  void list_keepsItsOrder() {
    assertThat(GpuOptions.DEFAULT.withVisibleDeviceList("2,0").visibleDevices(3))
        .containsExactly(2, 0);
  }

  @Test
  void wrongList_isRefusedByItsEntry() {
    assertRefused("0,abc", "Could not parse entry in 'visible_device_list': 'abc'");
    assertRefused("0,", "Could not parse entry in 'visible_device_list': ''");
    assertRefused("3", "listed an invalid Device id '3' but visible device count is 3");
    assertRefused("-1", "listed an invalid Device id '-1'");
    assertRefused("1,1", "visible_device_list contained a duplicate entry: 1,1");
  }

  private static void assertRefused(String list, String message) {
    assertThatThrownBy(() -> GpuOptions.DEFAULT.withVisibleDeviceList(list).visibleDevices(3))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(message);
  }

  @Test
  void wrongFraction_isRefused() {
    for (double fraction : new double[] {-0.1, Double.NaN, 1.01}) {
      assertThatThrownBy(() -> GpuOptions.DEFAULT.withPerProcessGpuMemoryFraction(fraction))
          .isInstanceOf(StatusException.class)
          .hasMessageContaining("per_process_gpu_memory_fraction");
    }
  }

  @Test
  void fraction_isOfAllMemory() {
    assertThat(
            GpuOptions.DEFAULT.withPerProcessGpuMemoryFraction(0.25).memoryLimit(GIB, 80 * GIB, 9))
        .isEqualTo(20 * GIB);
  }

  @Test
  void withoutFraction_aReserveStaysFree() {
    assertThat(GpuOptions.DEFAULT.memoryLimit(80 * GIB, 80 * GIB, 9))
        .isEqualTo(80 * GIB - 1800 * MIB);
    assertThat(GpuOptions.DEFAULT.memoryLimit(40 * GIB, 80 * GIB, 8))
        .isEqualTo(40 * GIB - 1536 * MIB);
    assertThat(GpuOptions.DEFAULT.memoryLimit(2 * GIB, 80 * GIB, 7))
        .isEqualTo(2 * GIB - 1050 * MIB);
    assertThat(GpuOptions.DEFAULT.memoryLimit(2 * GIB - 1, 80 * GIB, 7))
        .isEqualTo(2 * GIB - 1 - 225 * MIB);
    assertThat(GpuOptions.DEFAULT.memoryLimit(225 * MIB, 80 * GIB, 7)).isEqualTo(225 * MIB);
  }

  @Test
  void environment_decidesAboutGrowth_ifItSaysTrueOrFalse() {
    GpuOptions grows = GpuOptions.DEFAULT.withAllowGrowth(true);
    assertThat(under("TF_FORCE_GPU_ALLOW_GROWTH", "true", GpuOptions.DEFAULT).allowGrowth())
        .isTrue();
    assertThat(under("TF_FORCE_GPU_ALLOW_GROWTH", "false", grows).allowGrowth()).isFalse();
    for (String other : List.of("", "1", "True", "no")) {
      assertThat(under("TF_FORCE_GPU_ALLOW_GROWTH", other, grows).allowGrowth()).isTrue();
      assertThat(under("TF_FORCE_GPU_ALLOW_GROWTH", other, GpuOptions.DEFAULT))
          .isEqualTo(GpuOptions.DEFAULT);
    }
    assertThat(grows.under(Map.of())).isEqualTo(grows);
  }

  @Test
  void environment_reservesMemory_inPlaceOfFractionAndDefault() {
    GpuOptions half = GpuOptions.DEFAULT.withPerProcessGpuMemoryFraction(0.5);
    for (GpuOptions options : List.of(GpuOptions.DEFAULT, half)) {
      assertThat(reserving("100", options).memoryLimit(40 * GIB, 80 * GIB, 9))
          .isEqualTo(40 * GIB - 100 * MIB);
      assertThat(reserving(" 0 ", options).memoryLimit(40 * GIB, 80 * GIB, 9)).isEqualTo(40 * GIB);
    }
  }

  @Test
  void reserve_thatIsNoNumberOrMoreThanIsFree_isIgnored() {
    for (String value : List.of("", "1.5", "-1", "many", "40961")) {
      assertThat(reserving(value, GpuOptions.DEFAULT).memoryLimit(40 * GIB, 80 * GIB, 9))
          .isEqualTo(40 * GIB - 1800 * MIB);
    }
  }

  private static GpuOptions reserving(String value, GpuOptions options) {
    return under("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", value, options);
  }

  private static GpuOptions under(String variable, String value, GpuOptions options) {
    return options.under(Map.of(variable, value));
  }
}
