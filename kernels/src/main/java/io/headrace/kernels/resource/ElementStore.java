package io.headrace.kernels.resource;

import io.headrace.kernels.random.PhiloxStream;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The elements of a queue, each one tensor per component, in the order in which they are dequeued.
 */
interface ElementStore {
  void add(List<Tensor> element);

  /** Removes the next element; the store must not be empty. */
  List<Tensor> take();

  /** Puts back the element that {@link #take} returned last. */
  void giveBack(List<Tensor> element);

  int size();

  /** First in, first out. */
  final class Fifo implements ElementStore {
    private final Deque<List<Tensor>> elements = new ArrayDeque<>();

    @Override
    public void add(List<Tensor> element) {
      elements.addLast(element);
    }

    @Override
    public List<Tensor> take() {
      return elements.removeFirst();
    }

    @Override
    public void giveBack(List<Tensor> element) {
      elements.addFirst(element);
    }

    @Override
    public int size() {
      return elements.size();
    }
  }

  /** Random order, the same as TensorFlow's for the same seeds. */
  final class Shuffled implements ElementStore {
    private final List<List<Tensor>> elements = new ArrayList<>();
    private final PhiloxStream random;

    Shuffled(PhiloxStream random) {
      this.random = random;
    }

    @Override
    public void add(List<Tensor> element) {
      elements.add(element);
    }

    @Override
    public List<Tensor> take() {
      int index = random.nextBelow(elements.size());
      List<Tensor> last = elements.removeLast();
      return index == elements.size() ? last : elements.set(index, last);
    }

    @Override
    public void giveBack(List<Tensor> element) {
      elements.add(element);
    }

    @Override
    public int size() {
      return elements.size();
    }
  }

  /**
   * Lowest priority first: the first component, an int64; elements of equal priority in insertion
   * order.
   */
  final class Prioritized implements ElementStore {
    private record Entry(long priority, long number, List<Tensor> element) {}

    private final PriorityQueue<Entry> entries =
        new PriorityQueue<>(
            Comparator.comparingLong(Entry::priority).thenComparingLong(Entry::number));
    private long next;

    @Override
    public void add(List<Tensor> element) {
      entries.add(new Entry(element.getFirst().integer(0), next, element));
      next++;
    }

    @Override
    public List<Tensor> take() {
      return entries.remove().element();
    }

    @Override
    public void giveBack(List<Tensor> element) {
      throw new IllegalStateException("elements are taken all together");
    }

    @Override
    public int size() {
      return entries.size();
    }
  }
}
