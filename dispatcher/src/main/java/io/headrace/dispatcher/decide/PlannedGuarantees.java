package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.PlannedSharding;

/** The guarantees that jobs would have which nobody has created yet, by the same rules. */
public final class PlannedGuarantees {
  private PlannedGuarantees() {}

  /**
   * Sets the guarantee of a job of Java readers that ask for none.
   *
   * @param sharding has the policy
   * @param state has the workers that count
   * @param datasetId the dataset; need not be registered where no worker is
   * @param found the dataset's sources
   */
  public static void add(
      PlannedSharding.Builder sharding,
      DispatcherState state,
      String datasetId,
      SplitSourceFinder.Found found) {
    Guarantees.Granted granted =
        Guarantees.grant(
            state,
            JoinIterationRequest.newBuilder().setJob(job(sharding.getPolicy(), datasetId)).build(),
            found);
    sharding.setGuarantee(granted.guarantee()).setGuaranteeReason(granted.reason());
  }

  /**
   * Sets the guarantee of a stock client's job.
   *
   * @param sharding has the policy
   * @param state has the workers that count
   * @param datasetId the dataset
   * @param found the dataset's sources
   * @param stockGuarantee the dispatcher's guarantee for jobs of stock clients that can have it
   */
  public static void addOfStockClients(
      PlannedSharding.Builder sharding,
      DispatcherState state,
      String datasetId,
      SplitSourceFinder.Found found,
      Guarantee stockGuarantee) {
    GetOrCreateJobRequest job = job(sharding.getPolicy(), datasetId);
    Guarantees.Granted granted =
        stockGuarantee == Guarantee.AT_MOST_ONCE
            ? Guarantees.ofStockClients(job)
            : Guarantees.strongestOfStockClients(state, job, found);
    sharding.setStockGuarantee(granted.guarantee()).setStockGuaranteeReason(granted.reason());
  }

  private static GetOrCreateJobRequest job(ShardingPolicy policy, String datasetId) {
    return GetOrCreateJobRequest.newBuilder()
        .setDatasetId(datasetId)
        .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicy(policy))
        .build();
  }
}
