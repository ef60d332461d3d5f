/** WorkerServer: runs tasks and serves their elements. */
@NullMarked
package io.headrace.worker;

import org.jspecify.annotations.NullMarked;
