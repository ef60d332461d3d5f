package io.headrace.runtime.execute;

import io.headrace.runtime.device.VariableReference;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;

/**
 * The internal op that {@link ProgramBuilder} inserts between a reference and a consumer of its
 * value. It is not registered, and graphs cannot contain it.
 */
final class ReadReference {
  static final Op OP =
      Op.define("_ReadReference(ref: Ref(T)) -> value: T")
          .attrs("T: type")
          .stateful(Effect.READS)
          .shape(ShapeFunctions.SAME)
          .stateless(call -> call.setOutput(0, VariableReference.read(call.input(0))));

  private ReadReference() {}
}
