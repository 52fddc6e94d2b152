import { encodeCharge } from '../../lambdas/access/charge-message.ts';
import type { Charge } from '../../lambdas/access/charge-update.ts';
import { applyCharges } from '../../lambdas/charges/handler.ts';
import { MeteringWorld, type OpenedStore, STORES } from '../access/metering-world.ts';

describe.each(STORES)('applyCharges on $name', ({ open }) => {
  let opened: OpenedStore;
  let world: MeteringWorld;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    world = await new MeteringWorld(opened.store).create();
  });
  afterEach(() => jest.restoreAllMocks());

  /** Message number n, of a charge of n units on a lane of its own. */
  function message(n: number, changes: Partial<Charge> = {}) {
    const charge: Charge = {
      account: world.holder.account,
      cu: BigInt(n),
      hour: '2026-11-20T23',
      lane: `lane-${n}`.padEnd(11, '_'),
      seq: 1_000n,
      used: '',
      ...changes,
    };
    return { messageId: `message-${n}`, body: encodeCharge(charge) };
  }

  const charged = async () => (await world.account()).charged;

  test('applies each charge once, under redelivery and in any order', async () => {
    const messages = [1, 2, 3, 4].map((n) => message(n));
    await applyCharges(world.store, messages);
    await applyCharges(world.store, messages.toReversed());
    await applyCharges(world.store, [...messages, ...messages]);
    expect(await charged()).toBe(10n);
    expect((await world.account())['h_2026-11-20T23']).toBe(10n);
  });

  test('asks for what the store did not decide, and only for that', async () => {
    world.store.writeFaults.push(undefined, 'throttled', 'answer_lost');
    const messages = [1, 2, 4].map((n) => message(n));
    const failures = [{ itemIdentifier: 'message-2' }, { itemIdentifier: 'message-4' }];
    expect(await applyCharges(world.store, messages)).toEqual({ batchItemFailures: failures });
    expect(await applyCharges(world.store, messages)).toEqual({ batchItemFailures: [] });
    expect(await charged()).toBe(7n);
  });

  test('a malformed message fails alone', async () => {
    const malformed = { messageId: 'malformed', body: '{"account":"acme"}' };
    expect(await applyCharges(world.store, [malformed, message(5)])).toEqual({
      batchItemFailures: [{ itemIdentifier: 'malformed' }],
    });
    expect(await charged()).toBe(5n);
  });

  test('a charge that can no longer be applied is logged, counted as lost, and done', async () => {
    await world.setAccount({ pruned_through: '2026-11-20T23' });
    const gone = message(2, { account: 'gone' });
    expect(await applyCharges(world.store, [message(1), gone])).toEqual({ batchItemFailures: [] });
    expect(await charged()).toBe(0n);
    const lines = jest.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.filter(({ ChargesLost }) => ChargesLost === 1)).toHaveLength(2);
    const logged = lines.filter(({ event }) => event !== undefined);
    expect(logged.sort((one, other) => one.cu - other.cu)).toMatchObject([
      { level: 'error', event: 'charge_lost', cu: 1, reason: 'too_late' },
      { level: 'error', event: 'charge_lost', cu: 2, reason: 'account_gone' },
    ]);
  });
});
