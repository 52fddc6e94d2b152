import type { ChainSettings, ProofForm } from '../runtime/settings.ts';

/** What the blocks of a chain are verified by. */
export interface ChainProof {
  readonly form: ProofForm;
  /** The first block of the form; earlier ones are not verified. */
  readonly from: number;
  /** EIP-155 chain id. */
  readonly chainId: number;
  /** A type of transaction that the chain's node puts into its root otherwise than the form does. @default none */
  readonly strangeType?: number;
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
  return proof.form === 'none' ? undefined : { form: proof.form, from: proof.from ?? 0, chainId };
}

/** Whether a block was imported when Nitro came, with transactions whose hashes are those of the node before it. */
export function isBeforeNitro({ chainId }: ChainProof, number: bigint): boolean {
  return chainId === ARBITRUM_ONE && number < FIRST_NITRO_BLOCK;
}
