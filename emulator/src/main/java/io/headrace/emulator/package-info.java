/** Google Cloud Storage in a process of this host, for the tests of other modules. */
@NullMarked
package io.headrace.emulator;

import org.jspecify.annotations.NullMarked;
