/**
 * Ops over strings: formatting, joining, splitting, hashing, regular expressions, Unicode, and
 * conversions between bytes and numbers. A string is bytes; only the Unicode ops read characters in
 * it. Begin with {@code StringTransformOps}.
 */
@NullMarked
package io.headrace.kernels.text;

import org.jspecify.annotations.NullMarked;
