/** Equal calls under way share an answer for a second, and a defect ends with them. */
import { InFlightCalls, SHARING_MS } from '../../../lambdas/rpc/cache/equal-calls.ts';
import type { Call, UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';

let now: number;
let inFlight: InFlightCalls;
/** Requests to the node that wait for their responses. */
let sent: {
  readonly calls: readonly Call[];
  readonly end: PromiseWithResolvers<readonly UpstreamResponse[]>;
}[];

beforeEach(() => {
  now = 0;
  sent = [];
  inFlight = new InFlightCalls({ now: () => now });
});

function ask(...keys: readonly (string | undefined)[]) {
  const calls = keys.map((key) => ({
    key,
    call: { id: Buffer.from('1'), method: key ?? 'acting', params: undefined },
  }));
  return inFlight.send(calls, (leading) => {
    const end = Promise.withResolvers<readonly UpstreamResponse[]>();
    sent.push({ calls: leading, end });
    return end.promise;
  });
}

function answer(index: number): void {
  const { calls, end } = sent[index] as (typeof sent)[number];
  end.resolve(calls.map(({ method }) => ({ kind: 'result', result: Buffer.from(`"${method} ${index}"`) })));
}

const texts = (responses: Awaited<ReturnType<typeof ask>>) =>
  responses.map(
    ({ response: one, sent: own }) =>
      `${own ? 'sent' : 'shared'} ${one.kind === 'result' ? JSON.parse(Buffer.from(one.result).toString()) : one.kind}`,
  );

test('a call that waits for long is not joined, and the newer one is from then on', async () => {
  const first = ask('a');
  now = SHARING_MS;
  const second = ask('a');
  now = SHARING_MS + 1;
  const third = ask('a');
  answer(0);
  expect(texts(await Promise.all([first, second]).then((both) => both.flat()))).toEqual([
    'sent a 0',
    'shared a 0',
  ]);
  const fourth = ask('a');
  answer(1);
  expect(texts([...(await third), ...(await fourth)])).toEqual(['sent a 1', 'shared a 1']);
  expect(sent).toHaveLength(2);
});

test('a defect reaches every call that waits, and none that comes later', async () => {
  const first = ask('a', 'b');
  const second = ask('b');
  sent[0]?.end.reject(new Error('defect'));
  await expect(first).rejects.toThrow('defect');
  await expect(second).rejects.toThrow('defect');
  const third = ask('b');
  answer(1);
  expect(texts(await third)).toEqual(['sent b 1']);
});
