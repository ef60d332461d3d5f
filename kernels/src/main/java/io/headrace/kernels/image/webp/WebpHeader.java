package io.headrace.kernels.image.webp;

/**
 * The headers of a file or of a frame.
 *
 * @param width in pixels
 * @param height in pixels
 * @param hasAlpha whether its pixels have opacity, by the headers
 * @param isAnimated whether it is an animation
 */
record WebpHeader(int width, int height, boolean hasAlpha, boolean isAnimated) {}
