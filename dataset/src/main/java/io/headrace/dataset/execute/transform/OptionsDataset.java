package io.headrace.dataset.execute.transform;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.proto.data.Options;
import io.headrace.runtime.op.Op;
import java.util.Optional;

/**
 * The input with options for its passes. Only the option for determinism has an effect here; the
 * others tune TensorFlow's own execution.
 */
public record OptionsDataset(DatasetValue input, Optional<Boolean> deterministic)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.of(
          "OptionsDataset(input_dataset: variant)",
          OptionsDataset::of,
          "serialized_options: string");

  private static OptionsDataset of(OpArguments in) {
    try {
      Options options = Options.parseFrom(in.attrs().raw("serialized_options").getS());
      return new OptionsDataset(
          in.dataset("input_dataset"),
          options.getOptionalDeterministicCase()
                  == Options.OptionalDeterministicCase.OPTIONALDETERMINISTIC_NOT_SET
              ? Optional.empty()
              : Optional.of(options.getDeterministic()));
    } catch (InvalidProtocolBufferException e) {
      throw in.invalid("serialized_options is no Options message: %s", e);
    }
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return new OptionsDataset(input.select(rows), deterministic);
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public String iteratorName() {
    return input.iteratorName();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    // Options are no iterator in TensorFlow, nor in paths.
    return input.iterator(deterministic.map(context::withDeterministic).orElse(context));
  }
}
