/** The core server: clusters, tasks and their devices, and the sessions that run graphs there. */
@NullMarked
package io.headrace.cluster;

import org.jspecify.annotations.NullMarked;
