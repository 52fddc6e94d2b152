import { expect, test } from '@jest/globals';
import type { HttpResponse } from 'gateway-access';
import { dataMetrics } from '../../lambdas/data/data-metrics.ts';
import { handleData } from '../../lambdas/data/handle-data.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import { renderFailure } from '../../lambdas/data/response/failure.ts';
import { UNLIMITED } from '../support/data-limits.ts';

const metricsOf = (response: HttpResponse) =>
  dataMetrics(
    { chain: 'one', requestId: 'r' },
    { response, startedAt: 1 },
    { chains: [{ chain: 'one', chainId: 1, isDefault: true }], clock: { now: () => 4 } },
  );

test('a key that was disabled since it was authenticated gets 404 and an empty body, which is measured too', async () => {
  const response = await handleData(
    {
      holder: { keyId: 'k', account: 'acme' },
      chain: undefined,
      path: undefined,
      query: {},
      ifNoneMatch: undefined,
      requestId: 'r',
    },
    {
      meter: {
        noteRefusal: () => {},
        usedUpBalance: async () => undefined,
        admit: async () => ({ admitted: false, refusal: { reason: 'key_unknown' } }),
        charge: () => {
          throw new Error('nothing is charged');
        },
      },
      chains: [],
      database: undefined,
      clock: { now: Date.now },
      seal: createSeal('key'),
      ...UNLIMITED,
    },
  );
  expect(response).toMatchObject({ statusCode: 404, body: '' });
  expect(metricsOf(response)).toEqual([
    {
      values: expect.objectContaining({ DataRequests: 1 }),
      dimensions: { Chain: 'one' },
      fields: expect.anything(),
    },
  ]);
});

test('an error is counted under its code', () => {
  const response = renderFailure({ statusCode: 404, code: 'not_found', message: 'none' }, 'r');
  expect(JSON.stringify(metricsOf(response))).toContain('data_not_found');
});
