package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A whole kernel: y = min(max(x * a + b, 0), 6) of bytes, in a loop over the grid. */
final class ElementwiseKernelTest {
  private static final String KERNEL =
      """
      .visible .entry k(
        .param .u64 x, .param .u64 y, .param .f32 a, .param .f32 b, .param .u32 n)
      {
        .reg .pred %p<2>;
        .reg .b32 %r<8>;
        .reg .f32 %f<4>;
        .reg .b64 %d<6>;
        ld.param.u64 %d1, [x];
        ld.param.u64 %d2, [y];
        ld.param.f32 %f1, [a];
        ld.param.f32 %f2, [b];
        ld.param.u32 %r1, [n];
        cvta.to.global.u64 %d1, %d1;
        cvta.to.global.u64 %d2, %d2;
        mov.u32 %r2, %ctaid.x;
        mov.u32 %r3, %ntid.x;
        mov.u32 %r4, %tid.x;
        mad.lo.s32 %r5, %r2, %r3, %r4;
        mov.u32 %r6, %nctaid.x;
        mul.lo.s32 %r6, %r6, %r3;
      LOOP:
        setp.ge.u32 %p1, %r5, %r1;
        @%p1 bra DONE;
        cvt.u64.u32 %d3, %r5;
        add.s64 %d4, %d1, %d3;
        ld.global.nc.u8 %r7, [%d4];
        cvt.rn.f32.u32 %f3, %r7;
        mul.rn.f32 %f3, %f3, %f1;
        add.rn.f32 %f3, %f3, %f2;
        max.f32 %f3, %f3, 0f00000000;
        min.f32 %f3, %f3, 0f40C00000;
        mad.wide.u32 %d5, %r5, 4, %d2;
        st.global.f32 [%d5], %f3;
        add.u32 %r5, %r5, %r6;
        bra LOOP;
      DONE:
        ret;
      }
      """;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everyElement_hasTheCpusBits(long seed) {
    TestDevice device = new TestDevice(KERNEL).withSeed(seed);
    byte[] x = new byte[1003];
    new Random(seed).nextBytes(x);
    long in = device.store(x);
    long out = device.allocate(4 * x.length);
    device.launch(Dimensions.of(3), Dimensions.of(96), 0, in, out, 0.1f, -3f, x.length);

    ByteBuffer y = ByteBuffer.wrap(device.bytes(out, 4 * x.length)).order(ByteOrder.LITTLE_ENDIAN);
    for (byte value : x) {
      assertThat(y.getFloat())
          .isEqualTo(Math.min(Math.max(Byte.toUnsignedInt(value) * 0.1f + -3f, 0f), 6f));
    }
  }
}
