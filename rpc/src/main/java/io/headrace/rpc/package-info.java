/** How processes talk: servers, channels, statuses, frames, credit. */
@NullMarked
package io.headrace.rpc;

import org.jspecify.annotations.NullMarked;
