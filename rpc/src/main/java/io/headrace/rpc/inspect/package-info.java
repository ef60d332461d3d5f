/**
 * The services that gRPC has for any server: its health, for load balancers and probes; reflection
 * and channelz, for operators. Needs grpc-services, which servers bring and clients do not.
 */
@NullMarked
package io.headrace.rpc.inspect;

import org.jspecify.annotations.NullMarked;
