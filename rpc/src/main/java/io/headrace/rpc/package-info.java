/**
 * Communication between processes. {@link io.headrace.rpc.GrpcServer} and {@link
 * io.headrace.rpc.GrpcChannels} set up gRPC with bounds against hostile peers, {@link
 * io.headrace.rpc.GrpcStatuses} translates failures, and {@link io.headrace.rpc.EpochFence} fences
 * off superseded dispatchers. The protocol of element streams has two ends, {@code StreamWriter} at
 * the worker and {@link io.headrace.rpc.StreamReader} at the reader: they exchange frames ({@code
 * FrameEncoder}, {@code FrameDecoder}) under credit-based flow control. {@code RecvTensorMethod}
 * and {@code TensorPartsMethod} carry the tensors of cluster steps. Begin with {@code GrpcServer}
 * and {@code StreamReader}.
 */
@NullMarked
package io.headrace.rpc;

import org.jspecify.annotations.NullMarked;
