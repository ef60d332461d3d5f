/**
 * Ops on string tensors: length, case, formatting, joining, splitting, n-grams, hashing, Unicode,
 * and conversions between strings, numbers and serialized tensors. An element is a byte string. The
 * Unicode ops, and ops with the attr {@code unit} ({@code CharUnit}) or {@code encoding}, interpret
 * it as encoded text. {@code TextFamily} lists the ops, which classes named after them declare.
 * Helpers stand beside them: {@code CodePointDecoder} decodes text for {@code UnicodeOps}, {@code
 * LenientDecompression} decompresses for {@code DecodeCompressedOps}. Begin with {@code
 * StringLengthOps}, a small op.
 */
@NullMarked
package io.headrace.kernels.text;

import org.jspecify.annotations.NullMarked;
