/** Fourier transforms, spectrograms and WAV files. Begin with {@code FftOps}. */
@NullMarked
package io.headrace.kernels.signal;

import org.jspecify.annotations.NullMarked;
