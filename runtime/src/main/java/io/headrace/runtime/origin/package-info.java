/** Where rows came from, and sets of the records that they were made of. */
@NullMarked
package io.headrace.runtime.origin;

import org.jspecify.annotations.NullMarked;
