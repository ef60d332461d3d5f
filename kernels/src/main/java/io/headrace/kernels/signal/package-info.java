/**
 * Signal processing: Fourier transforms, audio spectrograms, mel-frequency cepstra and WAV files.
 * {@code ComplexFft} transforms complex sequences of any length, {@code RealFft} real ones on top
 * of it; {@code WavFile} reads and writes the file format. Begin with {@code FftOps}.
 */
@NullMarked
package io.headrace.kernels.signal;

import org.jspecify.annotations.NullMarked;
