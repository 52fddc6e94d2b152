import type { ChainSettings, ProofForm } from '../runtime/settings.ts';

/** Parts of a block that are proven apart, in the order in which their counts are described. */
export const PROVEN_PARTS = ['header', 'transactions', 'senders', 'receipts', 'withdrawals'] as const;

/** Blocks whose levels are counted together. */
export const COUNTED_BLOCKS = 1_024;

/** What the blocks of a chain are verified by. */
export interface ChainProof {
  readonly form: ProofForm;
  /** The first block of the form; earlier ones are not verified. */
  readonly from: number;
  /** EIP-155 chain id. */
  readonly chainId: number;
  /** A type of transaction that the chain's node puts into its root otherwise than the form does. @default none */
  readonly strangeType?: number;
  /** Whether nothing is stored that is neither computed nor the same at an independent node. @default it is, with a page */
  readonly required?: boolean;
}

/** Arbitrum One, and its first block that Nitro made: those before are of another node, and imported. */
const ARBITRUM_ONE = 42_161;
const FIRST_NITRO_BLOCK = 22_207_817;

/** Chains whose form is known, and the first block of it: earlier ones of a chain are of another kind. */
const KNOWN: ReadonlyMap<number, Omit<ChainProof, 'chainId'>> = new Map([
  [1, { form: 'ethereum', from: 0 }],
  [11_155_111, { form: 'ethereum', from: 0 }],
  // Anvil's roots have the blobs of a transaction, which no response has.
  [31_337, { form: 'ethereum', from: 0, strangeType: 0x03 }],
  [10, { form: 'op', from: 105_235_063 }],
  [8_453, { form: 'op', from: 0 }],
  [ARBITRUM_ONE, { form: 'orbit', from: FIRST_NITRO_BLOCK }],
  [4_663, { form: 'orbit', from: 0 }],
]);

/** What blocks of a chain are verified by: what its stage file says, or else the table. Undefined: nothing is. */
export function proofOf({
  chainId,
  proof,
}: Pick<ChainSettings, 'chainId' | 'proof'>): ChainProof | undefined {
  if (proof === undefined) {
    const known = KNOWN.get(chainId);
    return known && { ...known, chainId };
  }
  const { form, from = 0, required = false } = proof;
  return form === 'none' ? undefined : { form, from, chainId, ...(required && { required }) };
}

/** Whether a block was imported when Nitro came, with transactions whose hashes are those of the node before it. */
export function isBeforeNitro({ chainId }: ChainProof, number: bigint): boolean {
  return chainId === ARBITRUM_ONE && number < FIRST_NITRO_BLOCK;
}
