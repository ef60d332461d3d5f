/**
 * Tests against stock TensorFlow processes. {@code Pairing} reads every pipeline of {@code
 * src/test/python} with a stock client, on servers of either kind; {@code JavaPairing} does the
 * same with the Java API; the session tests run Python scripts that check themselves. Begin with
 * {@code Pairing}.
 */
@NullMarked
package io.headrace.interop;

import org.jspecify.annotations.NullMarked;
