/**
 * A dispatcher's answers as text for a terminal: {@link io.headrace.cli.text.StatusText} of its
 * status, {@link io.headrace.cli.text.StatsText} and {@link io.headrace.cli.text.TopText} of jobs,
 * {@link io.headrace.cli.text.ExplainText} of plans. They only write messages down.
 */
@NullMarked
package io.headrace.cli.text;

import org.jspecify.annotations.NullMarked;
