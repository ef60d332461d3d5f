/**
 * The health of a server, for load balancers and probes. Needs grpc-services, which servers bring
 * and clients do not.
 */
@NullMarked
package io.headrace.rpc.inspect;

import org.jspecify.annotations.NullMarked;
