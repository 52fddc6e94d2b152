import { decodeTokenUri } from '../../chain-data/decode/decode-metadata.ts';
import { valuesOf } from '../../chain-data/decode/load-columns.ts';
import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits, ZERO_ADDRESS } from '../../shared/chain-database/hex.ts';
import { runOnRows } from '../../shared/chain-database/load-rows.ts';
import { type Sql, sql } from '../../shared/chain-database/sql.ts';
import { callWord } from '../../shared/jsonrpc/contract-call.ts';
import { BatchSize, callInBatches, contractCall } from '../fetch/call-in-batches.ts';
import { NodeError } from '../fetch/node-error.ts';
import { isOfNode, returnedOf } from '../fetch/read-token-metadata.ts';
import type { BatchOptions, NodeResponse } from '../fetch/send-batch.ts';
import { type DescribeParts, MAX_ATTEMPTS } from './describe-tokens.ts';

/** Items that one attempt asks at most. */
export const MAX_ITEMS = 100;
/** Collections that one attempt asks, each for as many items: one that mints without end keeps no other waiting. */
const COLLECTIONS = 4;
/** Gas of one call: some contracts draw the picture that the URI holds. */
const CALL_GAS = '0x989680';
const START_BATCH_CALLS = 20;
const MAX_BATCH_CALLS = 100;
/** `uri(uint256)` of ERC-1155, and `tokenURI(uint256)` of all others. */
const URI_OF_ERC1155 = '0x0e89341c';
const URI_OF_OTHERS = '0xc87b56dd';

/** What is stored of an answer. */
const TOLD_COLUMNS = {
  token: 'bytea',
  token_id: 'numeric',
  uri: 'text',
  uri_size: 'integer',
  answered: 'boolean',
} as const;

type AskedItem = Awaited<ReturnType<typeof pendingItems>>[number];

/**
 * Asks items of NFT collections that are new for their URI: each once, or again where the node did not answer. Collections
 * take turns.
 * @returns what does so: resolves to how many of `atMost` items were asked, and rejects with a {@link NodeError} where the
 *   node cannot be asked, or with what the database fails with
 */
export function createItemDescriber({ chain, node }: DescribeParts) {
  let after: string = ZERO_ADDRESS;
  return async (atMost: number, options: BatchOptions): Promise<number> => {
    const behind = await pendingItems(chain, after, atMost);
    // At the end of a round the next one begins at once.
    const isNewRound = behind.length === 0 && after !== ZERO_ADDRESS;
    const items = isNewRound ? await pendingItems(chain, ZERO_ADDRESS, atMost) : behind;
    const answers = await callInBatches(
      node,
      items.map(uriCall),
      new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS),
      options,
    ).catch(async (error: unknown) => {
      if (atMost === 1 && error instanceof NodeError) await storeAnswers(chain, items, []);
      throw error;
    });
    if (items.length > 0) await storeAnswers(chain, items, answers);
    after = items.at(-1)?.token ?? ZERO_ADDRESS;
    return items.length;
  };
}

function uriCall({ token, token_id, is1155 }: AskedItem) {
  const selector = is1155 ? URI_OF_ERC1155 : URI_OF_OTHERS;
  return contractCall(token, selector + callWord(BigInt(token_id)), 'latest', CALL_GAS);
}

/** Items that are still to be asked, of the collections behind one: a step through the index for each of them. */
async function pendingItems(chain: ChainQueries, after: string, atMost: number) {
  const next = (behind: Sql) =>
    sql`(SELECT token FROM {{schema}}.nft_items WHERE uri_attempts IS NOT NULL AND token > ${behind} ORDER BY token LIMIT 1)`;
  const { rows } = await chain.query(
    sql`WITH RECURSIVE collection (token, place) AS (
       SELECT ${next(sql`decode(:after, 'hex')`)}, 1
       UNION ALL
       SELECT ${next(sql`collection.token`)}, place + 1 FROM collection
       WHERE collection.token IS NOT NULL AND place < :collections
     )
     SELECT '0x' || encode(item.token, 'hex') AS token, item.token_id::text AS token_id,
            coalesce((SELECT standard = 1155 FROM {{schema}}.tokens WHERE address = item.token), false) AS is1155
     FROM collection CROSS JOIN LATERAL (
       SELECT token, token_id FROM {{schema}}.nft_items
       WHERE token = collection.token AND uri_attempts IS NOT NULL ORDER BY token_id LIMIT :each
     ) AS item
     ORDER BY item.token, item.token_id LIMIT :max`,
    {
      after: hexDigits(after),
      collections: COLLECTIONS,
      each: Math.ceil(atMost / COLLECTIONS),
      max: atMost,
    },
  );
  return rows.map(({ token, token_id, is1155 }) => ({
    token: String(token) as Hex,
    token_id: String(token_id),
    is1155: is1155 === true,
  }));
}

/**
 * Stores what items answered; those of which the node said nothing are asked again. Rows are locked in the order in which
 * an indexer that stores blocks locks them.
 */
async function storeAnswers(
  chain: ChainQueries,
  items: readonly AskedItem[],
  answers: readonly NodeResponse[],
): Promise<void> {
  const told = items.map((item, index) => ({ ...item, ...outcomeOf(answers[index]) }));
  await runOnRows(
    chain,
    { columns: TOLD_COLUMNS, rows: valuesOf(TOLD_COLUMNS, told) },
    (rows) => sql`WITH told AS (${rows}), locked AS MATERIALIZED (
       SELECT item.token, item.token_id FROM {{schema}}.nft_items AS item JOIN told USING (token, token_id)
       ORDER BY item.token, item.token_id FOR UPDATE OF item
     )
     UPDATE {{schema}}.nft_items AS item
     SET asked_uri = told.uri, asked_uri_size = told.uri_size,
         uri_attempts = CASE WHEN told.answered OR item.uri_attempts + 1 >= ${MAX_ATTEMPTS} THEN NULL
                             ELSE item.uri_attempts + 1 END
     FROM told JOIN locked USING (token, token_id)
     WHERE item.token = told.token AND item.token_id = told.token_id`,
  );
}

function outcomeOf(answer: NodeResponse | undefined) {
  const answered = answer !== undefined && !isOfNode(answer);
  const returned = answered ? returnedOf(answer) : null;
  const said = returned && decodeTokenUri(returned);
  return { uri: said?.token_uri ?? null, uri_size: said?.uri_size ?? null, answered };
}
