import type { PostedResponse } from '../../http/send-request.ts';
import { UpstreamError } from '../../http/upstream-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { NodeConnection } from './node-connection.ts';

/** Time that a node has to tell its chain, in milliseconds; if that is strict, as much as the request beside it has. */
const RESPONSE_MS = 2_000;
/** Time until a node with another chain id, or none, is asked again, in milliseconds. */
export const ASK_AGAIN_MS = 10_000;
/** Largest response that is read for a chain id, in bytes. */
const MAX_RESPONSE_BYTES = 1_024;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** Lowest HTTP status that is no success. */
const NO_SUCCESS = 300;

/**
 * What is known of a node.
 * - `unasked`: nothing, also if it has not answered yet.
 * - `unstated`: it answers, but does not tell its chain.
 */
type ChainCheck = 'unasked' | 'unstated' | 'right' | 'wrong';

interface VerifiedChain {
  /** EIP-155 chain id that the node must tell. */
  readonly chainId: number;
  readonly clock: Clock;
  /** Called once with the chain id of a node of another chain, before the requests to it end. */
  readonly onWrongChain: (told: bigint) => void;
  /** Whether no response counts of a node until it has returned its chain id, for which its requests then wait. @default it is used */
  readonly isStrict?: boolean | undefined;
}

/**
 * A connection that forwards responses only from a node of the right chain. The chain id is requested in parallel with
 * the first request, whose response waits for it; transactions are sent only after it. A node of another chain gets no
 * more requests until it returns the right id: requests end with `wrong_chain`. A node that answers without a chain id
 * is used, and asked again in parallel with later requests, which do not wait; otherwise no request could use it. If it is
 * strict, such a node is one that cannot be reached. One of the right chain gets its requests without a detour from then on.
 */
export function verifyChain(
  node: NodeConnection,
  { chainId, clock, onWrongChain, isStrict = false }: VerifiedChain,
): NodeConnection {
  let standing: ChainCheck = 'unasked';
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let question: Promise<void> | undefined;

  const takeNote = (told: bigint | undefined) => {
    askAgainAt = clock.now() + ASK_AGAIN_MS;
    if (told === undefined) return;
    const before = standing;
    standing = told === BigInt(chainId) ? 'right' : 'wrong';
    if (standing === 'right') verified.post = node.post;
    else if (before !== 'wrong') onWrongChain(told);
  };

  const ask = (deadline: number): Promise<void> => {
    // What a strict caller does not wait for, it has to ask again.
    const until = isStrict ? deadline : Math.min(deadline, clock.now() + RESPONSE_MS);
    question ??= askChainId(node, until)
      .then(takeNote)
      .finally(() => {
        question = undefined;
      });
    return question;
  };

  const refuseWrong = (sent: boolean) => {
    if (standing === 'wrong') throw new UpstreamError('wrong_chain', { sent, reusedSocket: false });
  };

  const post: NodeConnection['post'] = async (request) => {
    const isDue = standing === 'unasked' || clock.now() >= askAgainAt;
    const asked = isDue ? ask(request.deadline) : undefined;
    const awaited = standing === 'unstated' ? undefined : asked;
    if (standing === 'wrong' || !request.idempotent) await awaited;
    refuseWrong(false);
    const [response] = await Promise.all([node.post(request), awaited]);
    refuseWrong(true);
    if (standing !== 'unasked' || response.status >= NO_SUCCESS) return response;
    if (isStrict)
      throw new UpstreamError('unreachable', { sent: true, reusedSocket: false, code: 'NO_CHAIN_ID' });
    standing = 'unstated';
    return response;
  };

  const verified: NodeConnection = { ...node, post };
  return verified;
}

/**
 * The chain id that a node returns; undefined if it returns none, for any reason.
 * `deadline`: in milliseconds since the epoch.
 */
async function askChainId(node: NodeConnection, deadline: number): Promise<bigint | undefined> {
  const id = node.reserveIds(1);
  const body = Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`);
  try {
    return readChainId(await node.post({ body, idempotent: true, deadline }), id);
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError if the response is not JSON */
function readChainId({ body }: PostedResponse, id: number): bigint | undefined {
  if (body.length > MAX_RESPONSE_BYTES) return undefined;
  const response: { readonly id?: unknown; readonly result?: unknown } | null = JSON.parse(body.toString());
  if (response?.id !== id || typeof response.result !== 'string') return undefined;
  return QUANTITY.test(response.result) ? BigInt(response.result) : undefined;
}
