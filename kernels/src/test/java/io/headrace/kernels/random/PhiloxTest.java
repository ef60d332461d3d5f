package io.headrace.kernels.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The known answers are from the test vectors of Philox's authors (Random123, kat_vectors). */
final class PhiloxTest {
  private static int[] block(Philox generator) {
    int[] block = new int[Philox.BLOCK];
    generator.next(block);
    return block;
  }

  @Test
  void next_zeroKeyAndCounter_isTheKnownAnswer() {
    assertThat(block(Philox.ofKeyAndCounter(0, 0, 0)))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  }

  @Test
  void next_allOnes_isTheKnownAnswer() {
    assertThat(block(Philox.ofKeyAndCounter(-1, -1, -1)))
        .containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  }

  @Test
  void next_digitsOfPi_isTheKnownAnswer() {
    Philox generator =
        Philox.ofKeyAndCounter(0x299f31d0a4093822L, 0x85a308d3243f6a88L, 0x0370734413198a2eL);

    assertThat(block(generator)).containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
  }

  @Test
  void skip_pastTheLowHalf_carries() {
    Philox skipped = Philox.ofKeyAndCounter(5, -2, 7);
    skipped.skip(3);

    assertThat(block(skipped)).isEqualTo(block(Philox.ofKeyAndCounter(5, 1, 8)));
  }

  @Test
  void ofSeedAttrs_twoZeros_takesEntropy() {
    Philox generator = Philox.ofSeedAttrs(0, 0, () -> 9);

    assertThat(block(generator)).isEqualTo(block(Philox.ofSeeds(9, 9)));
  }

  @Test
  void streamSkip_anyDistance_equalsDrawing() {
    for (int before = 0; before < 6; before++) {
      for (int skipped = 0; skipped < 12; skipped++) {
        assertThat(afterSkip(before, skipped)).isEqualTo(afterDrawing(before + skipped));
      }
    }
  }

  private static int afterSkip(int before, int skipped) {
    PhiloxStream stream = new PhiloxStream(Philox.ofSeeds(1, 2));
    for (int i = 0; i < before; i++) {
      stream.nextUnsigned();
    }
    stream.skip(skipped);
    return stream.next();
  }

  private static int afterDrawing(int samples) {
    return afterSkip(samples, 0);
  }

  @Test
  void reserve_twice_givesDisjointBlocks() {
    SharedPhilox shared = new SharedPhilox(Philox.ofSeeds(3, 4));
    shared.reserveSamples(5);

    Philox expected = Philox.ofSeeds(3, 4);
    expected.skip(2);
    assertThat(block(shared.reserve(1))).isEqualTo(block(expected));
  }
}
