/**
 * Ops that decode, encode, resize, crop, warp and recolor images, and that select bounding boxes.
 * {@code DecodeImageOps} detects the file's format ({@code ImageFormat}) and calls its decoder;
 * each returns {@code Pixels}. {@code JpegDecoder} has two implementations: libjpeg-turbo through
 * the foreign function API, and the JDK's ImageIO where that library is missing. {@code
 * EncodeImageOps} calls {@code PngEncoder} and {@code JpegEncoder}. The ops that resample images
 * share {@code ResizeGrid}, {@code CubicWeights}, {@code SampleSpans} and {@code ImageFloats}.
 * {@code ImageFamily} lists the ops. Begin with {@code DecodeImageOps} or {@code
 * ResizeBilinearOps}.
 */
@NullMarked
package io.headrace.kernels.image;

import org.jspecify.annotations.NullMarked;
