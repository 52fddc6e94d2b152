/** Each run of a function tells its time, its charges, its failures and bills that disagree. */
import type { Context } from 'aws-lambda';
import type { PriceBounds } from '../../lambdas/access/bill-check.ts';
import {
  type AuthenticatedEvent,
  type Conclude,
  type HttpResponse,
  type KeyHolder,
  type Meter,
  middy,
  RunFigures,
  StoreUnavailableError,
} from '../../lambdas/access/index.ts';
import { authenticate } from '../../lambdas/access/middlewares.ts';
import { FIRST_PRICE_LIST } from '../../lambdas/shared/bill/price-list.ts';
import type { MetricValues } from '../../lambdas/shared/runtime/metrics.ts';
import { NodeCalls } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const HOLDER: KeyHolder = { keyId: 'digest', account: 'acme' };
const VERSION = '17';

type Handler = (event: AuthenticatedEvent, meter: Meter) => Promise<HttpResponse>;

function respond(statusCode: number, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { statusCode, headers, body: '' };
}

/** What the lane of the process has come to. */
const position = (n: number, total: number) => `2026-11-20T09/abcdefghijk;n=${n};total=${total}`;

/** What a run of a handler emits: the lines, and the values of its run. */
async function runOf(
  handle: Handler,
  conclude?: Conclude,
  nodeCalls?: NodeCalls,
  priceAgain?: () => PriceBounds,
) {
  const telemetry = new RecordedTelemetry();
  const clock = { time: 1_000, now: () => clock.time };
  const runs = new RunFigures({
    function: 'rpc',
    clock,
    telemetry,
    startMs: 187.6,
    ...(nodeCalls && { nodeCalls }),
    listOf: async () => FIRST_PRICE_LIST,
  });
  let [n, total] = [0, 0];
  const meter = runs.count({
    ...admittingMeter(),
    charge: (_, cu) => {
      n += 1;
      total += cu;
      return { lane: position(n, total), store: async () => 'stored' };
    },
    authenticate: async () => HOLDER,
    isActive: async () => true,
    storeDue: async () => {},
  });
  const handler = middy<AuthenticatedEvent, HttpResponse>(
    async (event: AuthenticatedEvent) => {
      clock.time += 20;
      return handle(event, meter);
    },
    {
      timeoutEarlyInMillis: 10,
      ...runs.hooks(
        conclude &&
          (async (answered) => {
            clock.time += 500;
            return conclude(answered);
          }),
        priceAgain && (() => priceAgain),
      ),
    },
  )
    .use(runs.answerErrors(() => respond(500)))
    .use(authenticate({ meter, unavailable: () => respond(503), telemetry }));
  const event = { headers: {}, requestContext: { requestId: 'r' } } as AuthenticatedEvent;
  const context = { functionVersion: VERSION, getRemainingTimeInMillis: () => 60 } as Context;
  const answer = await handler(event, context).catch((error: Error) => error);
  const [first, ...others] = telemetry.emitted;
  expect(first?.run?.of).toEqual({ Function: 'rpc', Version: VERSION });
  expect(others.filter(({ run }) => run !== undefined)).toEqual([]);
  const { logged } = telemetry;
  return { answer, logged, lines: telemetry.emitted, values: first?.run?.values as MetricValues };
}

async function paid(meter: Meter, holder: KeyHolder, cu: number): Promise<void> {
  await meter.admit(holder, { cu });
  if (cu > 0) await meter.charge(holder, cu, []).store();
}

test('a run that is answered tells its time and its charges', async () => {
  const { values } = await runOf(async ({ holder }, meter) => {
    await paid(meter, holder, 26);
    await meter.charge(holder, 4, []).store();
    return respond(200, { 'X-CU-Billed': '30', 'X-CU-Lane': position(2, 30) });
  });
  expect(values).toEqual({ RunTime: 20, ChargedComputeUnits: 30 });
});

test('what is charged once the response is sent counts, and the time for it does not', async () => {
  let later: (() => Promise<unknown>) | undefined;
  const { values } = await runOf(
    async ({ holder }, meter) => {
      await paid(meter, holder, 0);
      later = () => meter.charge(holder, 7, []).store();
      return respond(200, { 'X-CU-Max': '7' });
    },
    async () => {
      await later?.();
      return [];
    },
  );
  expect(values).toEqual({ RunTime: 20, ChargedComputeUnits: 7 });
});

test('a bill that contradicts its charge is counted for the run, and logged with whose it is', async () => {
  const { values, logged } = await runOf(async ({ holder }, meter) => {
    await paid(meter, holder, 20);
    return respond(200, { 'X-CU-Billed': '19', 'X-CU-Lane': position(1, 20) });
  });
  expect(values).toEqual({ RunTime: 20, ChargedComputeUnits: 20, BillsDisagree: 1 });
  expect(logged).toEqual([
    {
      level: 'error',
      event: 'bills_disagree',
      requestId: 'r',
      account: 'acme',
      keyId: 'digest',
      reason: 'charged_otherwise',
      lane: position(1, 20),
      error: `told ${position(1, 20)} 19; charged ${position(1, 20)} 20`,
    },
  ]);
});

describe('a price that is worked out again', () => {
  beforeEach(() => {
    // Each is.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const pricedRun = (priceAgain: () => PriceBounds) =>
    runOf(
      async ({ holder }, meter) => {
        await paid(meter, holder, 20);
        return respond(200, { 'X-CU-Billed': '20', 'X-CU-Lane': position(1, 20) });
      },
      undefined,
      undefined,
      priceAgain,
    );

  test('and is another is a bill that disagrees', async () => {
    const { values, logged } = await pricedRun(() => ({ least: 21, most: 21 }));
    expect(values).toEqual({ RunTime: 20, ChargedComputeUnits: 20, BillsDisagree: 1 });
    expect(logged).toMatchObject([{ event: 'bills_disagree', reason: 'price', lane: position(1, 20) }]);
  });

  test.each([
    ['warn', new StoreUnavailableError('throttled', false)],
    ['error', new TypeError('defect')],
  ])('and cannot be is no bill that disagrees, and logged as %s', async (level, error) => {
    const { answer, values, logged } = await pricedRun(() => {
      throw error;
    });
    expect(answer).toMatchObject({ statusCode: 200 });
    expect(values).toEqual({ RunTime: 20, ChargedComputeUnits: 20 });
    expect(logged).toMatchObject([{ level, event: 'bill_not_checked', account: 'acme' }]);
  });
});

test('the bill of a file is that of its end, and none that its client did not wait for', async () => {
  const runs = [undefined, { billedCu: 20, lane: position(1, 20) }, { billedCu: 21, lane: position(1, 20) }];
  const found = runs.map(async (toldBill) => {
    const { values } = await runOf(async (event, meter) => {
      await paid(meter, event.holder, 20);
      if (toldBill !== undefined) event.toldBill = toldBill;
      return respond(200, { 'X-CU-Max': '100' });
    });
    return values.BillsDisagree;
  });
  expect(await Promise.all(found)).toEqual([undefined, undefined, 1]);
});

test('what a run that failed has charged is no bill that disagrees: its response was another', async () => {
  const { values } = await runOf(async ({ holder }, meter) => {
    await paid(meter, holder, 20);
    throw new Error('after the charge');
  });
  expect(values).toEqual({ RunTime: 20, FailedAnswers: 1, InternalErrors: 1 });
});

test('a response that should be paid and is not counts with nothing', async () => {
  const { values } = await runOf(async ({ holder }, meter) => {
    await paid(meter, holder, 0);
    return respond(200);
  });
  expect(values).toEqual({ RunTime: 20, ChargedComputeUnits: 0 });
});

test.each([
  ['not admitted', async () => respond(200)],
  [
    'for want of a node',
    async (event: AuthenticatedEvent, meter: Meter) => {
      await paid(meter, event.holder, 0);
      event.blameless = true;
      return respond(200);
    },
  ],
  [
    'refused',
    async ({ holder }: AuthenticatedEvent, meter: Meter) => {
      await paid(meter, holder, 0);
      return respond(429);
    },
  ],
])('an answer that is due to be free, %s, is none that is paid', async (_, handle) => {
  expect((await runOf(handle)).values).not.toHaveProperty('ChargedComputeUnits');
});

test('a response fails if no caller can help it: with 5xx, and for want of a node; a refusal does not', async () => {
  const failedOf = async (handle: Handler) => (await runOf(handle)).values.FailedAnswers;
  expect(await failedOf(async () => respond(503))).toBe(1);
  expect(await failedOf(async () => respond(429))).toBeUndefined();
  expect(
    await failedOf(async (event) => {
      event.blameless = true;
      return respond(200);
    }),
  ).toBe(1);
});

test('what the handler throws is an internal error', async () => {
  const { answer, values } = await runOf(async () => {
    throw new TypeError('defect');
  });
  expect(answer).toEqual(respond(500));
  expect(values).toEqual({ RunTime: 20, FailedAnswers: 1, InternalErrors: 1 });
});

test('so is a 500 of its own, and a response that says so by another status', async () => {
  expect((await runOf(async () => respond(500))).values).toMatchObject({ InternalErrors: 1 });
  const { values } = await runOf(async (event) => {
    event.hasFailed = true;
    return respond(200);
  });
  expect(values).toEqual({ RunTime: 20, FailedAnswers: 1, InternalErrors: 1 });
});

test('a handler that is late is an internal error, and told apart', async () => {
  const { answer, values } = await runOf(() => new Promise(() => {}));
  expect(answer).toEqual(respond(500));
  expect(values).toEqual({ RunTime: 20, FailedAnswers: 1, InternalErrors: 1, EarlyTimeouts: 1 });
});

test('what fails after the response is an internal error, and still thrown', async () => {
  const { answer, values } = await runOf(
    async () => respond(200),
    async () => {
      throw new Error('late defect');
    },
  );
  expect(answer).toEqual(new Error('late defect'));
  expect(values).toEqual({ RunTime: 20, FailedAnswers: 1, InternalErrors: 1 });
});

test('a key that is unknown is a 404', async () => {
  const telemetry = new RecordedTelemetry();
  const runs = new RunFigures({ function: 'rpc', clock: { now: () => 0 }, telemetry, startMs: 9 });
  const meter = { authenticate: async () => undefined };
  const handler = middy<AuthenticatedEvent, HttpResponse>(async () => respond(200), runs.hooks())
    .use(runs.answerErrors(() => respond(500)))
    .use(authenticate({ meter, unavailable: () => respond(503), telemetry }));
  for (const requestId of ['first', 'second'])
    await handler(
      { headers: {}, requestContext: { requestId } } as AuthenticatedEvent,
      { functionVersion: VERSION } as Context,
    );
  const run = { of: { Function: 'rpc', Version: VERSION }, values: { RunTime: 0, NotFoundAnswers: 1 } };
  // The time that the process took to start is told once.
  expect(telemetry.emitted).toEqual([
    { run, fields: { startMs: 9 } },
    { run, fields: {} },
  ]);
});

test('the first line of the request carries the figures of its run and its account, and the others follow', async () => {
  const { lines } = await runOf(
    async () => respond(200),
    async () => [{ values: { Requests: 1 } }, { values: { Calls: 1 } }],
  );
  expect(lines).toEqual([
    {
      values: { Requests: 1 },
      fields: { account: 'acme', startMs: 188 },
      run: { of: { Function: 'rpc', Version: VERSION }, values: { RunTime: 20 } },
    },
    { values: { Calls: 1 } },
  ]);
});

test('calls for nodes since the last line are told with the request of their chain, and of other chains apart', async () => {
  const nodeCalls = new NodeCalls();
  nodeCalls.add('one', 2);
  const { lines } = await runOf(
    async () => {
      nodeCalls.add('one', 10);
      nodeCalls.add('two', 1);
      return respond(200);
    },
    async () => [{ values: { Requests: 1 }, dimensions: { Chain: 'one' } }, { values: { Calls: 1 } }],
    nodeCalls,
  );
  expect(lines).toEqual([
    expect.objectContaining({ values: { Requests: 1, NodeCalls: 12 }, dimensions: { Chain: 'one' } }),
    { values: { Calls: 1 } },
    { values: { NodeCalls: 1 }, dimensions: { Chain: 'two' } },
  ]);
  expect(nodeCalls.take().size).toBe(0);
});
