import type { SentProof } from '../../clients/typescript/src/proof/verify-proof.ts';
import type { ProofForm } from '../../lambdas/shared/runtime/settings.ts';
import { openKeccak } from '../../lambdas/shared/verify/keccak.ts';
import { proveTransaction } from '../../lambdas/shared/verify/prove-transaction.ts';
import type { Json, SentJson } from '../shared/verify/made-block.ts';

/** What the gateway sends of a transaction of a block, without anything between. @throws Error where it proves nothing */
export async function madeProof(
  { block, receipts }: SentJson,
  form: ProofForm,
  { index, logPlace = null }: { readonly index: number; readonly logPlace?: number | null },
): Promise<SentProof> {
  const sought = {
    blockHash: String(block.hash),
    hash: String((block.transactions[index] as Json).hash),
    index,
  };
  const chain = { form, from: 0, chainId: 42_161 };
  const made = proveTransaction(await openKeccak(), chain, { block, receipts }, sought);
  if (made.kind !== 'proven') throw new Error(JSON.stringify(made));
  const bytes = (digits: string) => `0x${digits}`;
  return {
    transaction_index: index,
    key: bytes(made.key),
    header: bytes(made.header),
    transaction_path: made.transaction.map(bytes),
    receipt_path: made.receipt.map(bytes),
    log_place: logPlace,
  };
}
