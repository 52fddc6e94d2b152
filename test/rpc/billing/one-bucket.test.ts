/** Several chains share the bucket and the balance of one key. */
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import { MeteringWorld, PLANS } from '../../access/metering-world.ts';
import { simulatedChain } from '../../simulation/simulated-chain.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';
import { answeredCall } from '../../support/answered-call.ts';

const CALL = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{}, 'latest'] };
const HALF = Array.from({ length: 25 }, () => CALL);
const GRANTED = 1_000_000;

test('what one chain of a key has drawn and was billed, the next does not have', async () => {
  expect(PLANS.standard?.bucketCapacity).toBe(1_000);
  const world = await new MeteringWorld(new MemoryStore()).create({ granted: BigInt(GRANTED) });
  const response = { kind: 'result', result: Buffer.from('"0x"') } as const;
  const answer = async () => ({
    responses: HALF.map(() => answeredCall(response, { method: 'eth_call' })),
    share: async () => {},
  });
  const ask = async (name: string) => {
    const { clock, holder, meter } = world;
    const body = Buffer.from(JSON.stringify(HALF));
    const request = { holder, chain: simulatedChain(name), body, deadline: clock.now() + 20_000 };
    const answered = await handleRequest(request, meter, { answer });
    const { 'X-CU-Billed': billed, 'X-CU-Balance': balance } = answered?.headers ?? {};
    return [answered?.status, Number(billed), balance];
  };
  expect(await ask('example_mainnet')).toEqual([200, 500, String(GRANTED - 500)]);
  expect(await ask('example_testnet')).toEqual([200, 500, String(GRANTED - 1_000)]);
  expect(await ask('example_mainnet')).toEqual([429, 0, undefined]);
  expect(await ask('example_testnet')).toEqual([429, 0, undefined]);
});
