package io.headrace.kernels.image.webp;

/**
 * Where the compressed image of a file or of a frame is.
 *
 * @param isLossless whether it is VP8L, not VP8
 * @param from where it begins, after its chunk's header
 * @param size its bytes by that header
 * @param to the end of the bytes that a decoder may read
 * @param alphaFrom where its opacity begins; -1 if there is none
 * @param alphaTo where its opacity ends
 */
record Bitstream(boolean isLossless, int from, int size, int to, int alphaFrom, int alphaTo) {
  boolean hasAlphaPlane() {
    return alphaFrom >= 0;
  }
}
