package io.headrace.gpu.check;

import java.time.Duration;

/**
 * How much is done.
 *
 * @param elements the results of an elementwise case
 * @param interpreted the same where the interpreter computes them, too
 * @param every of as many cases, one is run
 * @param arguments those at which a math function is measured
 * @param launches by how many the cost of a launch is measured
 * @param rows those of a pipeline
 * @param soak how long the soak lasts
 * @param images the images of a batch
 * @param edge their height and width
 * @param chain the elements of the chain of ten operations
 * @param matrix the rows and columns of matrices that are multiplied
 * @param copyBytes the size of the copy by which bandwidth is measured
 * @param repeats how often something is timed
 * @param isTimed whether times mean something
 */
record CheckScale(
    int elements,
    int interpreted,
    int every,
    int arguments,
    int launches,
    int rows,
    Duration soak,
    int images,
    int edge,
    int chain,
    int matrix,
    int copyBytes,
    int repeats,
    boolean isTimed) {
  /** On a GPU. */
  static final CheckScale FULL =
      new CheckScale(
          20_000,
          150,
          1,
          1_000_000,
          200_000,
          1_000,
          Duration.ofMinutes(5),
          256,
          224,
          64 << 20,
          2048,
          256 << 20,
          20,
          true);

  /** On the fake driver: all that the full check does, but little of it. */
  static final CheckScale REHEARSAL =
      new CheckScale(8, 8, 60, 40, 100, 30, Duration.ofMillis(300), 2, 8, 300, 64, 4096, 2, false);

  /** The same with fewer cases. */
  CheckScale withEvery(int number) {
    return new CheckScale(
        elements,
        interpreted,
        number,
        arguments,
        launches,
        rows,
        soak,
        images,
        edge,
        chain,
        matrix,
        copyBytes,
        repeats,
        isTimed);
  }
}
