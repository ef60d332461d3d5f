/** GraphDefs and functions: reading, checking, building and tracing them. */
@NullMarked
package io.headrace.runtime.graph;

import org.jspecify.annotations.NullMarked;
