import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql, ZERO_ADDRESS_SQL } from '../../shared/chain-database/sql.ts';
import { callWord, OWNER_OF } from '../../shared/jsonrpc/contract-call.ts';
import { saysReverted } from '../../shared/jsonrpc/error-message.ts';
import { BatchSize, callInBatches, contractCall } from '../fetch/call-in-batches.ts';
import { uintOf } from '../fetch/read-token-metadata.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import type { BatchOptions, NodeResponse } from '../fetch/send-batch.ts';

/** `supportsInterface` of ERC-165 with the id of ERC-721. */
const SUPPORTS_ERC721 = `0x01ffc9a780ac58cd${'0'.repeat(56)}`;
/** How nodes tell of code that fails without a revert. */
const FAILED = /invalid opcode|out of gas|stack (under|over)flow|invalid jump/i;

/** What a token with decimals is whose `Transfer` has the shape of ERC-721; unknown where the node did not answer. */
type Likeness = 'erc20' | 'erc721' | 'unknown';

/**
 * Asks tokens that have decimals, and move as items do, whether they are NFTs: by ERC-165, or as their newest item has an owner,
 * which no ERC-20 tells of. All others are ERC-20, whatever their events index.
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function readLikeness(
  { chain, node }: { readonly chain: ChainQueries; readonly node: RetryingClient },
  tokens: readonly { readonly address: Hex }[],
  options: BatchOptions,
): Promise<ReadonlyMap<Hex, Likeness>> {
  if (tokens.length === 0) return new Map();
  const { rows } = await chain.query(
    sql`SELECT '0x' || address AS address, coalesce((
         SELECT transfer.token_id::text FROM {{schema}}.nft_transfers AS transfer
         WHERE transfer.token = decode(address, 'hex') AND transfer.standard = 721 AND transfer.to_address <> ${ZERO_ADDRESS_SQL}
         ORDER BY transfer.block_number DESC, transfer.log_index DESC LIMIT 1), '0') AS item
       FROM unnest(:tokens::text::text[]) AS asked (address)`,
    { tokens: `{${tokens.map(({ address }) => hexDigits(address)).join(',')}}` },
  );
  const calls = rows.flatMap(({ address, item }) => {
    const owner = OWNER_OF + callWord(BigInt(String(item)));
    return [SUPPORTS_ERC721, owner].map((data) => contractCall(String(address), data));
  });
  const size = new BatchSize(calls.length, calls.length);
  const answers = await callInBatches(node, calls, size, options);
  return new Map(
    rows.map(({ address }, index) => [
      String(address) as Hex,
      likenessOf(answers.slice(2 * index, 2 * index + 2)),
    ]),
  );
}

function likenessOf(answers: readonly NodeResponse[]): Likeness {
  if (answers.some(isWord)) return 'erc721';
  return answers.every(isOfContract) ? 'erc20' : 'unknown';
}

/** Whether the contract itself answered, reverted or failed: any other error may be the node's. */
function isOfContract(answer: NodeResponse): boolean {
  return !('error' in answer) || saysReverted(answer.error.message) || FAILED.test(answer.error.message);
}

/** Whether a call answered a word that is not zero. */
function isWord(answer: NodeResponse): boolean {
  return (uintOf(answer) ?? 0n) !== 0n;
}
