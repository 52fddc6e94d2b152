import { setTimeout as sleep } from 'node:timers/promises';
import { type UpstreamEntry, upstreamReference } from '../lambdas/shared/runtime/settings.ts';
import { hasEmbeddedUpstream } from '../lib/config/upstream-reference.ts';
import { isTemplateObject } from './template/template.ts';

const ATTEMPTS = 5;
const PAUSE_MS = 1_000;
const ATTEMPT_TIMEOUT_MS = 2_000;

/** The settings of a chain that name its nodes, and its chain id. */
interface AskedChain {
  readonly chain: string;
  readonly chainId: number;
  readonly upstreams: readonly UpstreamEntry[];
}

/** A fault that keeps a chain from being served as its stage file says. */
interface NodeTrouble {
  readonly chain: string;
  /** For people; never with the URL of a node, which can hold a key. */
  readonly message: string;
}

/**
 * Asks the nodes of each chain for their chain id, for some seconds. A chain is well as soon as one of its nodes answers
 * with the right one; an embedded node has answered already, or the run would not be up.
 * @param signal ends it early: nothing is printed then
 * @param pauseMs between attempts
 */
export async function askNodes(
  chains: readonly AskedChain[],
  signal: AbortSignal,
  pauseMs = PAUSE_MS,
): Promise<NodeTrouble[]> {
  const remote = chains.filter((chain) => !hasEmbeddedUpstream(chain));
  const troubles = await Promise.all(remote.map((chain) => askChain(chain, signal, pauseMs)));
  return signal.aborted ? [] : troubles.flatMap((trouble) => trouble ?? []);
}

async function askChain(
  { chain, chainId, upstreams }: AskedChain,
  signal: AbortSignal,
  pauseMs: number,
): Promise<NodeTrouble | undefined> {
  let responses: readonly (number | string)[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS && !signal.aborted; attempt += 1) {
    if (attempt > 1) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    responses = await Promise.all(upstreams.map((one) => askChainId(upstreamReference(one), signal)));
    if (responses.includes(chainId)) return undefined;
  }
  const other = responses.find((response) => typeof response === 'number');
  if (other !== undefined)
    return { chain, message: `its node has chain id ${other}, but the stage file says chainId ${chainId}` };
  const nodes = upstreams.length === 1 ? 'its node does not answer' : 'none of its nodes answer';
  return { chain, message: `${nodes} (${[...new Set(responses)].join(', ')})` };
}

/** The chain id that a node tells, or in a few words why it is missing. */
async function askChainId(url: string, signal: AbortSignal): Promise<number | string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
    });
    if (!response.ok) return `HTTP ${response.status}`;
    const body: unknown = await response.json();
    const result = isTemplateObject(body) ? body.result : undefined;
    const chainId = typeof result === 'string' ? Number(result) : Number.NaN;
    return Number.isSafeInteger(chainId) ? chainId : 'no chain id';
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: unknown };
  if (name === 'TimeoutError') return `no answer in ${ATTEMPT_TIMEOUT_MS / 1_000} s`;
  if (name === 'SyntaxError') return 'not JSON';
  return isTemplateObject(cause) && typeof cause.code === 'string' ? cause.code : 'no answer';
}
