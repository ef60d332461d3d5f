package io.headrace.runtime.expression;

import java.util.List;

/** Creates generated loops, folds and scans; equal programs share one. Thread-safe. */
public final class GeneratedLoops {
  private record LoopKey(LoopProgram program, List<Boolean> single) {}

  private record FoldKey(LoopProgram combine, LoopProgram load, LoopProgram identity) {}

  private record ScanKey(LoopProgram combine, LoopProgram identity) {}

  private GeneratedLoops() {}

  /**
   * The loop of {@code program}.
   *
   * @param single for each operand, whether it is a single element
   */
  public static Loop of(LoopProgram program, List<Boolean> single) {
    LoopKey key = new LoopKey(program, List.copyOf(single));
    return (Loop) GeneratedCodeCache.of(key, self -> LoopWriter.write(program, key.single(), self));
  }

  /**
   * The fold by {@code combine}, an associative program of two operands.
   *
   * @param load converts an element to an operand of {@code combine}
   * @param identity the identity of {@code combine}, a constant
   */
  public static Fold fold(LoopProgram combine, LoopProgram load, Expression identity) {
    FoldKey key = new FoldKey(combine, load, LoopProgram.of(identity, List.of()));
    return (Fold)
        GeneratedCodeCache.of(key, self -> FoldWriter.write(combine, load, key.identity(), self));
  }

  /**
   * The scan by {@code combine}, a program of two operands, starting from {@code identity}, a
   * constant.
   */
  public static Scan scan(LoopProgram combine, Expression identity) {
    ScanKey key = new ScanKey(combine, LoopProgram.of(identity, List.of()));
    return (Scan)
        GeneratedCodeCache.of(key, self -> ScanWriter.write(combine, key.identity(), self));
  }
}
