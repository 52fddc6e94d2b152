/** Bounds of what goes together. */
interface BatchLimits<Item> {
  /** Most that the items of a batch come to; one item may be more, and goes alone. */
  readonly most: number;
  readonly sizeOf: (item: Item) => number;
  /** Batches under way at once. */
  readonly underWay: number;
}

/**
 * Sends items in batches: what comes while as many as may be are under way goes together into the next.
 * @param send must not reject
 * @returns takes an item
 */
export function inBatches<Item>(
  { most, sizeOf, underWay }: BatchLimits<Item>,
  send: (batch: readonly Item[]) => Promise<void>,
): (item: Item) => void {
  const waiting: Item[] = [];
  let working = 0;

  const takeBatch = (): Item[] => {
    let size = 0;
    const tooMany = waiting.findIndex((item, place) => {
      size += sizeOf(item);
      return place > 0 && size > most;
    });
    return waiting.splice(0, tooMany === -1 ? waiting.length : tooMany);
  };
  const work = async (): Promise<void> => {
    working += 1;
    while (waiting.length > 0) await send(takeBatch());
    working -= 1;
  };

  return (item) => {
    waiting.push(item);
    if (working < underWay) void work();
  };
}
