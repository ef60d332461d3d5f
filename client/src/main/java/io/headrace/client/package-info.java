/** DataService.distribute: reads what workers produce. */
@NullMarked
package io.headrace.client;

import org.jspecify.annotations.NullMarked;
