import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import type { Ring } from '../../chain-data/store/ring.ts';
import { BlockError } from '../blocks/block-error.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';

/**
 * Finds the newest block of the ring that the node has as well, between `lowest` and `highest`, by halving.
 * @param lowest a block of the ring
 * @param highest the newest block that the node can have in common with the ring
 * @returns undefined where the node has another block `lowest`, or none
 * @throws {BlockError} if the node does not have a block of the ring
 */
export async function findFork(
  reader: ChainReader,
  ring: Ring,
  { lowest, highest }: { readonly lowest: number; readonly highest: number },
  options: ReadDeadline,
): Promise<BlockId | undefined> {
  const nodeBlock = async (number: number) => {
    const block = await reader.header(number, options);
    if (block === undefined) throw new BlockError('missing', number, 'the node does not have it');
    return block;
  };
  if (highest < lowest) return undefined;
  let ancestor = await nodeBlock(lowest);
  if (ancestor.hash !== ring.get(lowest)) return undefined;
  const stored = [...ring.keys()].filter((number) => number > lowest && number <= highest);
  let [same, other] = [-1, stored.length];
  while (other - same > 1) {
    const middle = (same + other) >> 1;
    const number = stored[middle] ?? lowest;
    const block = await nodeBlock(number);
    if (block.hash === ring.get(number)) {
      same = middle;
      ancestor = block;
    } else other = middle;
  }
  return ancestor;
}
