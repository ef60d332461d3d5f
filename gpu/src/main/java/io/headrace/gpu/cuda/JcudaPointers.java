package io.headrace.gpu.cuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jcuda.NativePointerObject;

/**
 * The pointers in JCuda's objects. JCuda shows them to its own classes only; {@link CudaDriver} has
 * handles and addresses as numbers.
 */
final class JcudaPointers {
  private static final VarHandle POINTER = pointer();

  private JcudaPointers() {}

  private static VarHandle pointer() {
    try {
      return MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
          .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this version of JCuda keeps its pointers elsewhere", e);
    }
  }

  static long get(NativePointerObject object) {
    return (long) POINTER.get(object);
  }

  static <T extends NativePointerObject> T set(T object, long pointer) {
    POINTER.set((NativePointerObject) object, pointer);
    return object;
  }
}
