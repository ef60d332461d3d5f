/**
 * Where the time of jobs goes, as peers report it, and what limits them. All of it is soft state.
 * Begin with {@link io.headrace.dispatcher.statistics.VerdictRule}, which names what limits a job,
 * and {@link io.headrace.dispatcher.statistics.JobLoad}, from which it does.
 */
@NullMarked
package io.headrace.dispatcher.statistics;

import org.jspecify.annotations.NullMarked;
