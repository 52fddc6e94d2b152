import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { ownCall } from '../../shared/jsonrpc/calls.ts';
import { readJson } from '../../shared/jsonrpc/json-values.ts';
import { failed } from '../../shared/jsonrpc/match-responses.ts';
import { type Ask, blockAt, type TwoOperators } from '../../shared/upstream/operators/two-operators.ts';
import { ableUpstreams } from '../../shared/upstream/routing/able-upstreams.ts';
import { attempt } from '../../shared/upstream/routing/attempt.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { PendingCall } from '../../shared/upstream/routing/pending-call.ts';
import type { Upstream } from '../../shared/upstream/upstream.ts';
import { openKeccak } from '../../shared/verify/keccak.ts';
import { blockInCommonForm, receiptsInCommonForm } from '../../shared/verify/node-forms.ts';
import type { SentBlock } from '../../shared/verify/prove-transaction.ts';

/** Time that a node has for a block, and for its hash, in milliseconds: one that hangs leaves some for the next. */
export const ANSWER_MS = 4_000;
/** Nodes that are asked for a block until one has sent it whole and right. */
const MAX_ASKED = 3;
/** Most receipts that a list lacks and that are asked for singly. */
const MAX_LACKING = 50;
/** Largest block with its receipts that is read, in bytes of JSON: a proof of it takes a function's memory ten times over. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024;
const TOO_LARGE = 'upstream_response_too_large';

/** What a node had to say of a block. */
export type BlockAnswer =
  | ({ readonly kind: 'sent' } & SentBlock)
  | { readonly kind: 'too_large' }
  /** It has no such block, or not the method. */
  | { readonly kind: 'lacking' }
  | { readonly kind: 'silent' };

/** Upstreams that can send a block and its receipts, best first. */
export function blockSenders(node: ChainClient, blockHash: string): readonly Upstream[] {
  return ableUpstreams(node, new PendingCall(receiptsCall(blockHash)))
    .flat()
    .slice(0, MAX_ASKED);
}

/** Asks a node for a block and its receipts, both by the block's hash. Never rejects because of the node. */
export async function askForBlock(
  node: ChainClient,
  upstream: Upstream,
  blockHash: string,
  deadline: number,
): Promise<BlockAnswer> {
  const calls = [ownCall('eth_getBlockByHash', [blockHash, true]), receiptsCall(blockHash)];
  const results: Uint8Array[] = [];
  for (const response of await askOne(node, upstream, calls, deadline)) {
    if (response === undefined) return { kind: 'silent' };
    if (response.kind === 'failed')
      return { kind: response.error.reason === TOO_LARGE ? 'too_large' : 'silent' };
    if (response.kind === 'error') return { kind: 'lacking' };
    results.push(response.result);
  }
  if (results.reduce((sum, { length }) => sum + length, 0) > MAX_BLOCK_BYTES) return { kind: 'too_large' };
  const [block, receipts] = results.map((result) => readJson(result));
  if (block === null || receipts === null) return { kind: 'lacking' };
  const singly = await askForLacking(node, upstream, { block, receipts }, deadline);
  if (typeof singly === 'string') return { kind: singly };
  // As the index reads them: a form is no lie.
  return { kind: 'sent', block: blockInCommonForm(block), receipts: receiptsInCommonForm(singly.receipts) };
}

/**
 * All receipts of a block: some nodes leave those of system transactions out of the list, and give them singly.
 * @returns why there are not all
 */
async function askForLacking(
  node: ChainClient,
  upstream: Upstream,
  { block, receipts }: SentBlock,
  deadline: number,
): Promise<{ readonly receipts: unknown } | 'lacking' | 'silent'> {
  const { transactions } = (block ?? {}) as { readonly transactions?: unknown };
  if (!Array.isArray(transactions) || !Array.isArray(receipts)) return { receipts };
  const known = new Map(receipts.map((one) => [one?.transactionHash, one]));
  const lacking = transactions.flatMap((one) => (known.has(one?.hash) ? [] : String(one?.hash)));
  if (receipts.length >= transactions.length || lacking.length === 0) return { receipts };
  if (lacking.length > MAX_LACKING) return 'lacking';
  const calls = lacking.map((hash) => ownCall('eth_getTransactionReceipt', [hash]));
  for (const [place, response] of (await askOne(node, upstream, calls, deadline)).entries()) {
    if (response?.kind !== 'result') return response?.kind === 'error' ? 'lacking' : 'silent';
    const receipt = readJson(response.result);
    if (receipt === null) return 'lacking';
    known.set(lacking[place], receipt);
  }
  return { receipts: transactions.map((one) => known.get(one?.hash)) };
}

/**
 * Whether nodes of two operators name a block by its number. One that does not answer, or that names another, has no vote.
 * Never rejects.
 */
export async function isHashAgreed(
  node: ChainClient,
  operators: TwoOperators,
  { number, blockHash }: { readonly number: number; readonly blockHash: string },
  deadline: number,
): Promise<boolean> {
  const ask: Ask = async (calls) => {
    const [first] = calls;
    const upstream = first && ableUpstreams(node, new PendingCall(first)).flat()[0];
    if (upstream === undefined) return calls.map(() => failed('upstream_unavailable'));
    const answers = await askOne(node, upstream, calls, Math.min(deadline, node.clock.now() + ANSWER_MS));
    return answers.map((answer) =>
      answer?.kind === 'result' ? { ...answer, from: upstream.index } : failed('no_upstream_response'),
    );
  };
  const [named] = await operators.ask([blockAt(await openKeccak(), BigInt(number))], ask);
  return named?.value.hash === blockHash;
}

/** What an upstream answers; undefined where it was not sent the calls. */
async function askOne(
  node: ChainClient,
  upstream: Upstream,
  asked: readonly Call[],
  deadline: number,
): Promise<readonly (UpstreamResponse | undefined)[]> {
  const calls = asked.map((call) => new PendingCall(call));
  await attempt(node, { upstream, calls, deadline });
  return calls.map(({ response }) => response);
}

function receiptsCall(blockHash: string): Call {
  return ownCall('eth_getBlockReceipts', [blockHash]);
}
