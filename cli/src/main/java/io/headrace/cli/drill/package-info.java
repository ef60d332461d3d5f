/** Drills: faults on real processes while a job is read, and a verdict on what was delivered. */
@NullMarked
package io.headrace.cli.drill;

import org.jspecify.annotations.NullMarked;
