package io.headrace.kernels.image.webp;

/**
 * A frame of an animation.
 *
 * @param x its left column on the canvas
 * @param y its top row on the canvas
 * @param width in pixels
 * @param height in pixels
 * @param isErased whether its pixels become transparent before the next frame
 * @param isBlended whether it is laid over what is there, instead of in its place
 * @param hasAlpha whether it may have transparent pixels
 * @param from where its image, with its alpha, begins in the file
 * @param to where that ends
 */
record AnimationFrame(
    int x,
    int y,
    int width,
    int height,
    boolean isErased,
    boolean isBlended,
    boolean hasAlpha,
    int from,
    int to) {}
