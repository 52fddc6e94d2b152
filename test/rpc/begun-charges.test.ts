import type { Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  answerErrors,
  type HttpResponse,
  middy,
} from '../../lambdas/access/index.ts';
import { BegunCharges } from '../../lambdas/rpc/begun-charges.ts';
import { failureResponse } from '../../lambdas/rpc/failure-response.ts';

const HOLDER = { keyId: 'k', account: 'a' };
const meter = {
  admit: async () => ({ admitted: true, balanceCu: 1n, limits: [] }) as const,
  charge: async () => ({ state: 'lost' }) as const,
};

/** A function that fails after some of what it does with its meter. */
function failing(step: (meter: ReturnType<BegunCharges['meterOf']>) => Promise<unknown>) {
  const begun = new BegunCharges();
  return middy<AuthenticatedEvent, HttpResponse>()
    .use(answerErrors((event) => failureResponse('internal_error', 'r', begun.has(event))))
    .handler(async (event) => {
      await step(begun.meterOf(event, meter));
      throw new Error('out of time');
    });
}

async function headersAfter(step: Parameters<typeof failing>[0]) {
  const event = { requestContext: { requestId: 'r' } } as AuthenticatedEvent;
  return (await failing(step)(event, {} as Context)).headers;
}

beforeEach(() => jest.spyOn(process.stdout, 'write').mockReturnValue(true));
afterEach(() => jest.restoreAllMocks());

test('a failure before the charge costs nothing, and says so', async () => {
  expect(await headersAfter(({ admit }) => admit(HOLDER, { cu: 1, calls: 1 }))).toEqual({
    'Content-Type': 'application/json',
    'X-Request-Id': 'r',
    'X-CU-Cost': '0',
    'X-CU-Billed': '0',
  });
});

test('a failure once the charge has begun says nothing of what is billed', async () => {
  expect(await headersAfter(({ charge }) => charge(HOLDER, 1, []))).toEqual({
    'Content-Type': 'application/json',
    'X-Request-Id': 'r',
  });
});
