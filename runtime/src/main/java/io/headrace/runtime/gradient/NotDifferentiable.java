package io.headrace.runtime.gradient;

import java.util.Set;

/**
 * Ops that end backpropagation without an error, as in TensorFlow: their outputs are constant in
 * their inputs, or their gradients are not defined.
 */
final class NotDifferentiable {
  static final Set<String> OPS =
      Set.of(
          """
          ApproximateEqual ArgMax ArgMin AsString Assert Assign AssignAdd AssignSub
          AudioSummaryV2 BitwiseAnd BitwiseOr BitwiseXor BroadcastGradientArgs
          CTCBeamSearchDecoder CTCGreedyDecoder Ceil
          ConcatOffset Const DecodeBase64 DecodePaddedRaw DecodeProtoV2 DecodeRaw DeleteSessionTensor
          DenseToDenseSetOperation DenseToSparseSetOperation DrawBoundingBoxes
          EditDistance EncodeBase64 EncodeProto Equal ExtractGlimpse FakeQuantWithMinMaxArgsGradient
          FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient Floor FloorDiv
          GetSessionHandle GetSessionHandleV2 GetSessionTensor Greater GreaterEqual HSVToRGB
          HashTable HashTableV2 HistogramSummary IdentityReader ImageSummary InitializeTable
          InitializeTableFromTextFile InitializeTableFromTextFileV2 InitializeTableV2
          Invert InvertPermutation LeftShift Less LessEqual LinSpace LogicalAnd LogicalNot
          LogicalOr LookupTableFind LookupTableFindV2 LookupTableInsert
          LookupTableInsertV2 LookupTableSize LookupTableSizeV2 MergeSummary Multinomial
          MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable
          MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2
          NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionWithOverlaps NotEqual
          OneHot OnesLike ParameterizedTruncatedNormal ParseTensor PopulationCount QueueClose QueueDequeue
          QueueDequeueMany QueueDequeueUpTo QueueEnqueue QueueEnqueueMany QueueSize
          RandomIndexShuffle RandomShuffle RandomStandardNormal RandomUniform Range Rank
          ReaderNumRecordsProduced ReaderNumWorkUnitsCompleted ReaderRead ReaderReadUpTo
          ReaderReset ReaderRestoreState ReaderSerializeState ReduceJoin RegexReplace
          ResizeBilinearGrad RightShift Rint Round SampleDistortedBoundingBox
          SampleDistortedBoundingBoxV2 ScalarSummary ScatterAdd ScatterDiv ScatterMul
          ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterSub SerializeTensor SetSize
          Shape ShapeN Size SparseAddGrad SparseConcat SparseToSparseSetOperation
          Stack StackClose StackPop StackPush StatelessMultinomial
          StatelessRandomBinomial StatelessRandomNormal StatelessRandomNormalV2
          StatelessRandomPoisson StatelessRandomUniform
          StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2
          StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2
          StatelessTruncatedNormal StatelessTruncatedNormalV2 StopGradient StringJoin
          StringSplit StringToHashBucket StringToHashBucketFast StringToHashBucketStrong
          StringToNumber TFRecordReader TensorArrayCloseV3 TensorArrayGradV3
          TensorArrayGradWithShape TensorArraySizeV3 TensorArrayV3 TensorListConcatLists
          TensorListElementShape TensorListLength TensorListPushBackBatch TensorSummary
          TensorSummaryV2 TextLineReader Timestamp TruncateDiv TruncatedNormal
          VarIsInitializedOp VariableShape WholeFileReader ZerosLike
          """
              .strip()
              .split("\\s+", -1));

  private NotDifferentiable() {}
}
