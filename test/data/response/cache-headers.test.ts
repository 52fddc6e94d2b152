/** A client may keep what can never be another answer for a year, and asks again for all else. */
import type { Plan } from '../../../lambdas/data/plan/plan.ts';
import { createSeal } from '../../../lambdas/data/plan/seal.ts';
import { cacheHeaders } from '../../../lambdas/data/response/cache-headers.ts';
import type { DataResponse } from '../../../lambdas/data/response/read-response.ts';

const KEPT = 'private, max-age=31536000, immutable';
const ASKED_AGAIN = 'private, no-cache';
const WINDOW: Plan['window'] = { column: 'block_number', from: '0', to: '700', clamp: false };

test.each([
  ['logs of final blocks are kept', 'logs', {}, KEPT],
  [
    'what is left of approvals is of the head, however old their events are',
    'logs',
    { approvalsOf: '0xab' },
    ASKED_AGAIN,
  ],
  ['an NFT may turn out to be an amount', 'nft_transfers', {}, ASKED_AGAIN],
  ['transfers may get shares of a stock', 'erc20_transfers', {}, ASKED_AGAIN],
])('%s', (_, dataset, of, kept) => {
  const plan: Plan = { shape: 'list', branches: [], keys: [], columns: '', window: WINDOW, ...of };
  const meta = { cover_to: 700, finalized: 704, as_of: 960 } as DataResponse['meta'];
  const response = { data: '[]', coverage: 'full', meta } as const;
  const headers = cacheHeaders(
    { response, nextCursor: undefined, dataset, plan, account: 'a' },
    createSeal('key of the tests'),
  );
  expect(headers['Cache-Control']).toBe(kept);
});
