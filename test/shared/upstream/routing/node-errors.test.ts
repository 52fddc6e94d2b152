/** Each known refusal of a provider leads to the right next step. */
import { matchResponses } from '../../../../lambdas/shared/jsonrpc/match-responses.ts';
import type { RefusalKind } from '../../../../lambdas/shared/jsonrpc/refusal-kind.ts';
import { requiredBlock } from '../../../../lambdas/shared/jsonrpc/required-block.ts';
import {
  classifyResponse,
  type ResponseClass,
} from '../../../../lambdas/shared/upstream/routing/classify-response.ts';
import { ALL_ERRORS } from '../../../shared/jsonrpc/node-errors.ts';

const ID = 7;
const HEAD = 1_000n;
/** Outcome of a call, by the kind of its refusal. `unknown` is about a block below the head. */
const CLASSES: Readonly<Record<RefusalKind | 'own', readonly ResponseClass[]>> = {
  own: ['final'],
  addresses: ['missing_data'],
  range: ['too_wide'],
  results: ['too_many_logs'],
  batch: ['unbatched'],
  batch_size: ['unbatched'],
  pruned: ['missing_data'],
  unknown: ['missing_data'],
  time: ['broken'],
  // Code -32001 with no other words is about what is missing, be it a method.
  method: ['missing_method', 'missing_data'],
  rate: ['limited', 'limited_in_words'],
  quota: ['limited', 'limited_in_words'],
  plan: ['unsubscribed'],
  auth: ['failed', 'unsubscribed'],
};
const PARAMS: Readonly<Record<string, readonly unknown[]>> = {
  eth_getLogs: [{ fromBlock: '0x1', toBlock: '0x384' }],
};

test.each(ALL_ERRORS.map((row) => [row.source, row.message, row.status, row] as const))(
  '%s: "%s" with status %i, as a client\'s call meets it',
  (_, message, status, { code, method, data, kind }) => {
    const error = { code, message, ...(data !== undefined && { data }) };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ID, error }));
    const [response] = matchResponses({ status, body }, ID, 1);
    const params = Buffer.from(JSON.stringify(PARAMS[method] ?? ['0x1']));
    const call = { method, params };
    const verdict =
      response &&
      classifyResponse(response, {
        call,
        need: requiredBlock(call),
        behind: false,
        customTracer: false,
        status,
        head: HEAD,
      });
    expect(CLASSES[kind ?? 'own']).toContain(verdict);
  },
);
