/**
 * Google Cloud Storage in a local process, for the tests of other modules. {@link
 * io.headrace.emulator.FakeGcsServer} starts it.
 */
@NullMarked
package io.headrace.emulator;

import org.jspecify.annotations.NullMarked;
