import type { BlockProof, Hex } from '../../chain-data/decode/raw-block.ts';
import type { UntracedBlock } from './assemble-block.ts';
import { BlockError, type IsRelaxed } from './block-error.ts';
import { checkBloom } from './check-bloom.ts';

/** A block with its receipts, as its source has it: a node, or files. */
interface Arrival {
  readonly block: UntracedBlock;
  /** The blooms of its receipts, in their order; null where the source has none. */
  readonly blooms: readonly (Hex | null)[];
  /** Hash of the block before, where that was read too. */
  readonly parent: Hex | undefined;
}

/**
 * The one place through which every block passes before anything of it is stored, whatever its source: it follows the one
 * before, its logs make up its bloom as far as the chain's settings ask for it, and it is verified where its source allows it.
 * @param verify verifies what only some sources have, such as signatures; undefined: nothing of it was. Throws for a block that is
 * not to be stored
 * @throws {BlockError} with the check that failed, where it can be relaxed; and whatever `verify` throws
 */
export async function admitBlock(
  { block, blooms, parent }: Arrival,
  isRelaxed: IsRelaxed,
  verify?: () => Promise<BlockProof | undefined>,
): Promise<UntracedBlock> {
  if (parent !== undefined && block.parentHash !== parent)
    throw new BlockError('wrong_parent', block.number, 'it follows another block');
  checkBloom(block, blooms, isRelaxed);
  const proof = await verify?.();
  return proof === undefined ? block : { ...block, proof };
}
