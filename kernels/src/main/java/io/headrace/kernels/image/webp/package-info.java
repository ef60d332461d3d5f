/**
 * WebP files, read as libwebp reads them: {@code HeaderReader} finds the image of a file or of a
 * frame, {@code AnimationReader} the frames of an animation, {@code LosslessDecoder} makes pixels
 * of lossless images, and {@code AlphaPlane} the opacity of lossy ones. The colors of lossy images
 * come from a {@code LossyDecoder} of the caller's. {@code WebpFile} leads through it.
 */
@NullMarked
package io.headrace.kernels.image.webp;

import org.jspecify.annotations.NullMarked;
