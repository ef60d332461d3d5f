/**
 * A JPEG decoder without native code, for machines that cannot load libjpeg-turbo. {@code
 * JpegDecompressor} leads a file through it: {@code MarkerReader} reads headers and tables, an
 * {@code EntropyDecoder} the coefficients of each {@code ScanHeader}, an {@code InverseDct} makes
 * samples of them in a {@code SamplePlane}, an {@code Upsampler} expands those, and a {@code
 * ColorConversion} makes pixels. Files of several scans gather their coefficients in a {@code
 * CoefficientStore}. Every step gives the bits of libjpeg-turbo 2.1, whose answers to damaged files
 * are part of what TensorFlow's users see.
 */
@NullMarked
package io.headrace.kernels.image.jpeg;

import org.jspecify.annotations.NullMarked;
