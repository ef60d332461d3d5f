/**
 * Ops that decode, encode, resize, crop, warp and recolor images, and that select bounding boxes.
 * {@code DecodeImageOps} detects the file's format ({@code ImageFormat}) and calls its decoder;
 * each returns {@code Pixels}. {@code NativeJpegDecoder} calls libjpeg-turbo ({@code JpegLibrary});
 * the package {@code jpeg} takes its place where that library cannot be loaded. {@code
 * EncodeImageOps} calls {@code PngEncoder} and {@code JpegEncoder}. The ops that resample images
 * share {@code ResizeGrid}, {@code CubicWeights}, {@code SampleSpans} and {@code ImageFloats}.
 * {@code ImageFamily} lists the ops. Begin with {@code DecodeImageOps} or {@code
 * ResizeBilinearOps}.
 */
@NullMarked
package io.headrace.kernels.image;

import org.jspecify.annotations.NullMarked;
