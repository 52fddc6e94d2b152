import { type Call, NULL_ID } from '../../shared/jsonrpc/calls.ts';
import type { OperatorOf } from '../../shared/upstream/operators.ts';
import { ableUpstreams } from '../../shared/upstream/routing/able-upstreams.ts';
import { attempt } from '../../shared/upstream/routing/attempt.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { PendingCall } from '../../shared/upstream/routing/pending-call.ts';
import type { Upstream } from '../../shared/upstream/upstream.ts';
import { blockInCommonForm, receiptsInCommonForm } from '../../shared/verify/node-forms.ts';
import type { SentBlock } from '../../shared/verify/prove-transaction.ts';

/** Nodes that are asked for a block until one has sent it whole and right, and operators that are asked for its hash. */
const MAX_ASKED = 3;
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
  const calls = [callOf('eth_getBlockByHash', [blockHash, true]), receiptsCall(blockHash)].map(
    (call) => new PendingCall(call),
  );
  await attempt(node, { upstream, calls, deadline });
  const results: Uint8Array[] = [];
  for (const { response } of calls) {
    if (response === undefined) return { kind: 'silent' };
    if (response.kind === 'failed')
      return { kind: response.error.reason === TOO_LARGE ? 'too_large' : 'silent' };
    if (response.kind === 'error') return { kind: 'lacking' };
    results.push(response.result);
  }
  if (results.reduce((sum, { length }) => sum + length, 0) > MAX_BLOCK_BYTES) return { kind: 'too_large' };
  const [block, receipts] = results.map((result) => JSON.parse(Buffer.from(result).toString()) as unknown);
  if (block === null || receipts === null) return { kind: 'lacking' };
  // As the index reads them: a form is no lie.
  return { kind: 'sent', block: blockInCommonForm(block), receipts: receiptsInCommonForm(receipts) };
}

/**
 * Whether nodes of two operators name a block by its number. One that does not answer, or that names another, has no vote.
 * Never rejects.
 */
export async function isHashAgreed(
  node: ChainClient,
  operatorOf: OperatorOf,
  { number, blockHash }: { readonly number: number; readonly blockHash: string },
  deadline: number,
): Promise<boolean> {
  const call = callOf('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  const upstreams = await oneOfEach(ableUpstreams(node, new PendingCall(call)).flat(), operatorOf);
  const named = await Promise.all(
    upstreams.slice(0, MAX_ASKED).map(async (upstream) => {
      const pending = new PendingCall(call);
      await attempt(node, { upstream, calls: [pending], deadline });
      const { response } = pending;
      if (response?.kind !== 'result') return false;
      const block = JSON.parse(Buffer.from(response.result).toString()) as { readonly hash?: unknown } | null;
      return block?.hash === blockHash;
    }),
  );
  return named.filter((isNamed) => isNamed).length > 1;
}

/** The best upstream of each operator; one whose operator cannot be read is left out, as it may be that of another. */
async function oneOfEach(
  upstreams: readonly Upstream[],
  operatorOf: OperatorOf,
): Promise<readonly Upstream[]> {
  const operators = await Promise.all(upstreams.map(({ name }) => operatorOf(name).catch(() => undefined)));
  return upstreams.filter(
    (_, place) => operators[place] !== undefined && operators.indexOf(operators[place]) === place,
  );
}

function receiptsCall(blockHash: string): Call {
  return callOf('eth_getBlockReceipts', [blockHash]);
}

function callOf(method: string, params: readonly unknown[]): Call {
  return { id: NULL_ID, method, params: Buffer.from(JSON.stringify(params)) };
}
