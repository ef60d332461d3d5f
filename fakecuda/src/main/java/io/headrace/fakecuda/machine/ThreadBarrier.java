package io.headrace.fakecuda.machine;

/** An instruction at which threads wait for one another. */
sealed interface ThreadBarrier permits BlockBarrier, WarpOperation {}
