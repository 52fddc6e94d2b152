import { isBlamelessStatus, isChainAllowed } from 'gateway-access';
import type { ResponseCache } from '../../rpc/cache/response-cache.ts';
import { handleRequest, type RequestMeter } from '../../rpc/handle-request.ts';
import { deadlineOf } from '../../rpc/response/render-response.ts';
import { requestMetrics } from '../../rpc/response/rpc-response.ts';
import type { ServedChain } from '../../rpc/rpc-request.ts';
import type { BodyPieces } from '../../shared/http/body-pieces.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { emitMetrics } from '../../shared/runtime/metrics.ts';
import { type RpcToolName, rpcParams } from '../tools/rpc-tools.ts';
import type { ToolArguments } from '../tools/tool.ts';
import type { CallContext } from './call-data.ts';
import { refusedResponse, type ToolResponseOrGone } from './tool-response.ts';

/** What a response begins with that has a result: its id is ours. */
const RESULT_START = Buffer.from('{"jsonrpc":"2.0","id":1,"result":');
const ERROR_START = Buffer.from('{"jsonrpc":"2.0","id":1,');
const OBJECT_START = Buffer.from('{');
const END_BYTES = 1;

export interface RpcDependencies {
  readonly meter: RequestMeter;
  readonly chains: ReadonlyMap<string, ServedChain>;
  /** Name of the chain that is asked where none is named. */
  readonly defaultChain: string;
  readonly cache: Pick<ResponseCache, 'answer'>;
  readonly clock: Clock;
  /** Time that a node has for its whole response, in milliseconds. */
  readonly upstreamTimeoutMs: number;
}

/** Time that is left for a call, in milliseconds. */
export interface TimedContext extends CallContext {
  readonly remainingMs: number;
}

/**
 * Sends a JSON-RPC call the way that its own route takes: policy, price, limits, cache, node, charge. The charge is stored
 * before the response is sent: the integration does not stream, so that an invocation ends with its response.
 */
export async function callRpc(
  method: RpcToolName,
  values: ToolArguments,
  { holder, requestId, remainingMs }: TimedContext,
  { meter, chains, defaultChain, cache, clock, upstreamTimeoutMs }: RpcDependencies,
): Promise<ToolResponseOrGone> {
  const name = String(values.chain ?? defaultChain);
  const chain = isChainAllowed(holder.bounds, name) ? chains.get(name) : undefined;
  if (chain === undefined && chains.has(name)) meter.noteRefusal(holder, 'chain');
  if (chain === undefined) return refusedResponse(404, 'not_found', `unknown chain: ${name}`);
  const startedAt = clock.now();
  const call = { jsonrpc: '2.0', id: 1, method, params: rpcParams(method, values) };
  const response = await handleRequest(
    {
      holder,
      chain,
      body: Buffer.from(JSON.stringify(call)),
      deadline: deadlineOf(startedAt, remainingMs, upstreamTimeoutMs),
      clock,
    },
    meter,
    cache,
  );
  if (response === undefined) return undefined;
  const answeredAt = clock.now();
  await response.conclude?.();
  const endedAt = clock.now();
  const lines = requestMetrics({
    response,
    chain: chain.settings.chain,
    requestId,
    latencyMs: answeredAt - startedAt,
    chargeMs: endedAt - answeredAt,
  });
  for (const line of lines) emitMetrics(line, endedAt);
  const { status, headers, figures } = response;
  const { isResult, body } = unwrapped(response.body);
  return {
    status,
    headers,
    body,
    isError: !isResult,
    isBlameless: (figures?.unanswered ?? 0) > 0 || isBlamelessStatus(status),
  };
}

/** A result without its response object around it, or the error in an object of its own. */
function unwrapped(pieces: BodyPieces): { readonly isResult: boolean; readonly body: readonly Uint8Array[] } {
  const whole = Buffer.concat(pieces);
  const isResult = whole.subarray(0, RESULT_START.length).equals(RESULT_START);
  if (isResult) return { isResult, body: [whole.subarray(RESULT_START.length, -END_BYTES)] };
  return { isResult, body: [OBJECT_START, whole.subarray(ERROR_START.length)] };
}
