/**
 * The master of a server: sessions, the plans of their steps, and the steps themselves, each at all
 * its tasks. Begin with {@link io.headrace.cluster.master.MasterSession}.
 */
@NullMarked
package io.headrace.cluster.master;

import org.jspecify.annotations.NullMarked;
