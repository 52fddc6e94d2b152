/** Shows that `docs/status.md` has a response of `GET /v1/account` as the function makes it. */
import { readFileSync } from 'node:fs';
import { describeAccount } from '../../lambdas/status/describe-account.ts';

test('the account of the page is what its statement and its plan are answered with', () => {
  const page = readFileSync('docs/status.md', 'utf8').split('## GET /v1/account\n')[1] ?? '';
  const shown = JSON.parse(/```json\n([^`]+)```/.exec(page)?.[1] ?? '');
  const plans = { standard: { bucketCapacity: 20_000, refillPerSecond: 1_000, requestsPerSecond: 100 } };
  const statement = {
    account: 'acme',
    plan: 'standard',
    granted_cu: 1_000_000,
    debited_cu: 0,
    charged_cu: 1_260,
    balance_cu: 998_740,
    pending_cu: { '2026-11-20T09': 1_260 },
    created_at: '2026-11-20T09:00:00Z',
  };
  expect(describeAccount(statement, { plans, defaultPlan: 'standard' }, {})).toEqual(shown);
});
