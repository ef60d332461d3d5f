/** DispatchServer: jobs, iterations, tasks. */
@NullMarked
package io.headrace.dispatcher;

import org.jspecify.annotations.NullMarked;
