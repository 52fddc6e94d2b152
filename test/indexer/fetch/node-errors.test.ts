import type { NodeErrorKind } from '../../../lambdas/indexer/fetch/node-error.ts';
import { NodeError } from '../../../lambdas/indexer/fetch/node-error.ts';
import { type NodePost, sendBatch } from '../../../lambdas/indexer/fetch/send-batch.ts';
import type { RefusalKind } from '../../../lambdas/shared/jsonrpc/refusal-kind.ts';
import { ALL_ERRORS, type NodeErrorRow } from '../../shared/jsonrpc/node-errors.ts';

/** What the indexer makes of a refusal by what it is about. */
const KINDS: Readonly<Record<RefusalKind | 'own', NodeErrorKind>> = {
  own: 'refused',
  addresses: 'refused',
  range: 'too_large',
  results: 'too_large',
  batch: 'no_batches',
  batch_size: 'too_large',
  pruned: 'pruned',
  unknown: 'refused',
  time: 'timeout',
  method: 'unsupported',
  rate: 'rate_limited',
  quota: 'rate_limited',
  plan: 'unsupported',
  auth: 'unavailable',
};

/** A node that answers every request with one error: for the whole of it, or for each call. */
function refusing({ status, code, message, data }: NodeErrorRow, isWhole: boolean): NodePost {
  const error = { code, message, ...(data !== undefined && { data }) };
  return {
    reserveIds: () => 1,
    post: async ({ body }) => {
      const sent = JSON.parse(Buffer.from(body).toString()) as { id: number } | { id: number }[];
      const isBatch = Array.isArray(sent);
      const answers =
        isBatch && !isWhole ? sent.map(({ id }) => ({ id, error })) : { id: isBatch ? null : sent.id, error };
      return { status, body: Buffer.from(JSON.stringify(answers)) };
    },
  };
}

async function kindOf(node: NodePost, method: string): Promise<NodeErrorKind | undefined> {
  try {
    const { responses: answers } = await sendBatch(node, [{ method, params: [] }], { deadline: 1 });
    const [answer] = answers;
    return answer !== undefined && 'error' in answer ? answer.error.kind : undefined;
  } catch (error) {
    if (error instanceof NodeError) return error.kind;
    throw error;
  }
}

test.each(ALL_ERRORS.map((row) => [row.source, row.message, row.status, row] as const))(
  '%s: "%s" with status %i, as the indexer meets it',
  async (_, _message, status, row) => {
    // Some statuses say all that there is to know, whatever is in the body.
    const byStatus: Readonly<Record<number, NodeErrorKind>> = {
      429: 'rate_limited',
      413: 'too_large',
      408: 'timeout',
    };
    const expected = byStatus[status] ?? KINDS[row.kind ?? 'own'];
    expect(await kindOf(refusing(row, true), row.method)).toBe(expected);
    if (status === 200) expect(await kindOf(refusing(row, false), row.method)).toBe(expected);
  },
);
