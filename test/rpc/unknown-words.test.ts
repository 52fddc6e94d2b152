/** A refusal that nothing is known of is counted and logged, without words of a client. */
import { sendBatch } from '../../lambdas/indexer/fetch/send-batch.ts';
import { createStickyUpstream } from '../../lambdas/indexer/fetch/sticky-upstream.ts';
import { createFakeNode } from '../indexer/fetch/fake-node.ts';
import { call, SimulatedGateway } from '../nodes/simulated-gateway.ts';

const HOUR_MS = 3_600_000;
const ACCOUNT = `0x${'12'.repeat(20)}`;
const asked = () => [call('eth_getBalance', [ACCOUNT, 'latest'])];

const says = (error: object) => ({
  respond: ({ method }: { readonly method: string }) =>
    method === 'eth_getBalance' ? { error: JSON.stringify(error) } : undefined,
});
const UNKNOWN = { code: -32000, message: `The moon is full over ${ACCOUNT}` };

function figuresOf({ telemetry }: SimulatedGateway) {
  return {
    counted: telemetry.metrics().reduce((sum, { UnknownNodeWords = 0 }) => sum + UnknownNodeWords, 0),
    lines: telemetry.emitted.length,
    logged: telemetry.logged.filter(({ event }) => event === 'unknown_node_words'),
  };
}

test('a refusal that nothing is known of is the answer, counted, and logged once an hour without words of the client', async () => {
  const gateway = new SimulatedGateway([says(UNKNOWN)]);
  const ask = async (times: number) => {
    for (let time = 0; time < times; time += 1)
      expect(await gateway.send(asked())).toEqual([`error -32000 ${JSON.stringify(UNKNOWN)}`]);
  };
  await ask(50);
  expect(figuresOf(gateway)).toMatchObject({
    counted: 1,
    logged: [{ level: 'warn', chain: 'simulated', upstream: 'upstream-1', words: 'the moon is full over' }],
  });
  // Those of the first minute are counted with the next.
  await gateway.clock.until(gateway.clock.wait(61_000));
  await ask(1);
  expect(figuresOf(gateway)).toMatchObject({ counted: 51, lines: 2 });
  await gateway.clock.until(gateway.clock.wait(HOUR_MS));
  await ask(1);
  expect(figuresOf(gateway).logged).toHaveLength(2);
});

test('what the caller is to blame for, and what is known, is not counted', async () => {
  for (const error of [
    { code: 3, message: 'execution reverted: the moon is full' },
    { code: -32602, message: 'invalid argument 0: the moon is full' },
    { code: -32000, message: 'header not found' },
  ]) {
    const gateway = new SimulatedGateway([says(error)]);
    await gateway.send(asked());
    expect(figuresOf(gateway).lines).toBe(0);
  }
});

test('the indexer counts those of its own calls alike', async () => {
  const heard: string[] = [];
  const node = createFakeNode(() => ({ error: UNKNOWN }));
  const hearUnknownWords = (words: () => string) => heard.push(words());
  const sticky = createStickyUpstream([{ name: 'one', connection: { ...node, hearUnknownWords } }], () => {});
  const { responses } = await sendBatch(sticky, [{ method: 'eth_getBlockReceipts', params: ['0x1'] }], {
    deadline: Number.POSITIVE_INFINITY,
  });
  expect(responses).toMatchObject([{ error: { kind: 'refused' } }]);
  expect(heard).toEqual([UNKNOWN.message]);
});
