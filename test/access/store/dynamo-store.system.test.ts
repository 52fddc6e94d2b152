/**
 * The stores of what instances share are DynamoDB, and each failure of it has its error. What it answers to metering is
 * compared with the store in memory (test/simulation/stores/memory-store.system.test.ts).
 */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RefusalStore } from '../../../lambdas/access/contract/refusals.ts';
import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import { createGivenHeadStore } from '../../../lambdas/access/store/given-head-store.ts';
import { createRefusalStore } from '../../../lambdas/access/store/refusal-store.ts';
import { createSharedTextStore } from '../../../lambdas/access/store/shared-text-store.ts';
import type { Store, Update } from '../../../lambdas/access/store/store.ts';
import type { GivenHeadStore } from '../../../lambdas/shared/upstream/sharing/given-head.ts';
import type { SharedText, SharedTextStore } from '../../../lambdas/shared/upstream/sharing/shared-item.ts';
import { pickPort } from '../../../local/processes/free-port.ts';
import { openOnCacheTable } from '../../emulators/cache-table.ts';
import { EMULATORS } from '../../emulators/emulators.ts';
import { emulatorClientConfig } from '../../emulators/metering-tables.ts';
import type { Emulator } from '../../emulators/server-process.ts';
import { SimulatedProcesses } from '../../nodes/simulated-processes.ts';

const IDLE_CONNECTION_MS = 10_000;

describe('the store of metering', () => {
  const TABLE_NAMES = {
    keys: 'test-keys',
    accounts: 'test-accounts',
    balances: 'test-balances',
    ledger: 'test-ledger',
    lanes: 'test-usage',
    unsettled: 'test-usage',
  };
  /** Far above what an emulator needs on a busy machine. */
  const PATIENCE_MS = 120_000;

  const CHARGE: Update = {
    table: 'accounts',
    key: { account: 'a1' },
    when: [
      [
        { is: 'absent', attribute: 'w_1' },
        { is: '<', attribute: 'w_1', value: 5n },
      ],
    ],
    set: { w_1: 5n },
    add: { charged: 10n ** 37n },
  };

  describe('when DynamoDB fails', () => {
    let server: Server;
    let store: Store;
    let impatient: Store;
    let requests: number;
    let respond: (response: ServerResponse) => void;

    beforeAll(async () => {
      server = createServer((request, response) => {
        requests += 1;
        request.resume().once('end', () => respond(response));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const options = {
        tableNames: TABLE_NAMES,
        clientConfig: emulatorClientConfig(`http://127.0.0.1:${port}`),
        connectTimeoutMs: PATIENCE_MS,
      };
      store = createDynamoStore({ ...options, requestTimeoutMs: PATIENCE_MS });
      impatient = createDynamoStore({ ...options, requestTimeoutMs: 1_000 });
    });
    beforeEach(() => {
      requests = 0;
    });
    afterAll(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });

    const failWith = (status: number, type: string, more = {}) => {
      respond = (response) => {
        response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' });
        response.end(
          JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no', ...more }),
        );
      };
    };
    /** `broke`: whether there is time left to ask again. */
    const expectUnavailable = async (work: Promise<unknown>, maybeApplied: boolean, broke = maybeApplied) => {
      await expect(work).rejects.toMatchObject({ name: 'StoreUnavailableError', maybeApplied, broke });
      expect(requests).toBe(1);
    };

    test.each([
      [400, 'ThrottlingException', false],
      [400, 'ProvisionedThroughputExceededException', false],
      [400, 'RequestLimitExceeded', false],
      [400, 'TransactionConflictException', false],
      [400, 'ValidationException', false],
      [400, 'ResourceNotFoundException', false],
      [500, 'InternalServerError', true],
      [503, 'ServiceUnavailable', true],
    ])('%i %s: may be applied %p, and is not tried again', async (status, type, maybeApplied) => {
      failWith(status, type);
      await expectUnavailable(store.update(CHARGE), maybeApplied);
    });

    test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded', 'ValidationError'])(
      'a transaction cancelled for %s is not refused by its conditions',
      async (Code) => {
        const CancellationReasons = [{ Code: 'ConditionalCheckFailed' }, { Code }];
        failWith(400, 'TransactionCanceledException', { CancellationReasons });
        await expectUnavailable(store.transact([{ update: CHARGE }, { update: CHARGE }]), false);
      },
    );

    test.each([
      [400, 'ThrottlingException', false],
      [500, 'InternalServerError', true],
    ])('%i %s: a transaction is not refused by its conditions', async (status, type, maybeApplied) => {
      failWith(status, type);
      await expectUnavailable(store.transact([{ update: CHARGE }]), maybeApplied);
    });

    test('an attribute of no type that we write is a defect, and no value', async () => {
      respond = (response) => response.end('{"Item":{"account":{"S":"a1"},"shards":{"BOOL":true}}}');
      await expect(store.get('accounts', { account: 'a1' })).rejects.toThrow(
        new TypeError('attribute shards is neither a string nor a number'),
      );
    });

    test('shared items that DynamoDB left out are not taken for ones that there are not', async () => {
      const { port } = server.address() as AddressInfo;
      const clientConfig = emulatorClientConfig(`http://127.0.0.1:${port}`);
      const shared = createGivenHeadStore({
        tableName: 'cache',
        clientConfig,
        requestTimeoutMs: PATIENCE_MS,
      });
      respond = (response) =>
        response.end('{"Responses":{"cache":[]},"UnprocessedKeys":{"cache":{"Keys":[]}}}');
      await expectUnavailable(shared.readTakers('a', ['0x1']), false);
    });

    test('a stall before the response may be applied', async () => {
      respond = () => undefined;
      await expectUnavailable(impatient.update(CHARGE), true, false);
    });

    test('a stall inside the response may be applied', async () => {
      respond = (response) => {
        response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' });
        response.write('{"Attributes":');
      };
      await expectUnavailable(impatient.update(CHARGE), true, false);
    });

    test('a reset may be applied', async () => {
      respond = (response) => response.socket?.resetAndDestroy();
      await expectUnavailable(store.update(CHARGE), true);
    });

    test('a response that is not JSON may be applied', async () => {
      respond = (response) => response.end('<html>');
      await expectUnavailable(store.update(CHARGE), true);
    });

    test('a read that breaks is sent once more, and one that is refused is not', async () => {
      respond = (response) => {
        respond = (next) => next.end('{"Item":{"account":{"S":"a1"}}}');
        response.socket?.resetAndDestroy();
      };
      await expect(store.get('accounts', { account: 'a1' })).resolves.toEqual({ account: 'a1' });
      expect(requests).toBe(2);
      requests = 0;
      failWith(400, 'ThrottlingException');
      await expectUnavailable(store.get('accounts', { account: 'a1' }), false);
    });

    test('a refused connection is no response either', async () => {
      const clientConfig = emulatorClientConfig(`http://127.0.0.1:${await pickPort()}`);
      const unreachable = createDynamoStore({ tableNames: TABLE_NAMES, clientConfig });
      await expect(unreachable.get('accounts', { account: 'a1' })).rejects.toMatchObject({
        maybeApplied: true,
      });
    });

    test('a connection is kept, but not used again after it was idle for long', async () => {
      let now = 1_000_000;
      let connections = 0;
      const count = () => {
        connections += 1;
      };
      server.on('connection', count);
      const clock = { now: () => now };
      const { port } = server.address() as AddressInfo;
      const clientConfig = emulatorClientConfig(`http://127.0.0.1:${port}`);
      const kept = createDynamoStore({
        tableNames: TABLE_NAMES,
        clientConfig,
        clock,
        requestTimeoutMs: PATIENCE_MS,
      });
      respond = (response) => response.end('{}');
      const connectionsAfter = async (elapsedMs: number) => {
        now += elapsedMs;
        await kept.get('accounts', { account: 'a1' });
        return connections;
      };
      await expect(connectionsAfter(0)).resolves.toBe(1);
      await expect(connectionsAfter(IDLE_CONNECTION_MS)).resolves.toBe(1);
      await expect(connectionsAfter(IDLE_CONNECTION_MS + 1)).resolves.toBe(2);
      await expect(connectionsAfter(1)).resolves.toBe(2);
      server.off('connection', count);
    });
  });
});

/** The store that simulations have: time passes until it answers. */
function openInMemory(): GivenHeadStore {
  const { given, clock } = new SimulatedProcesses([], { processes: 0 });
  return {
    read: (...asked) => clock.until(given.read(...asked)),
    raise: (...asked) => clock.until(given.raise(...asked)),
    readTakers: (...asked) => clock.until(given.readTakers(...asked)),
    keepTakers: (...asked) => clock.until(given.keepTakers(...asked)),
  };
}

describe('given heads', () => {
  const AT = 1_800_000_000_000;
  const given = (sequence: number, number: bigint, by = 'primary') => ({ sequence, number, by, at: AT });
  const inMemory = { name: 'the store of simulations', start: undefined };

  describe.each([...EMULATORS, inMemory])('on $name', ({ start }) => {
    let emulator: Emulator | undefined;
    let store: GivenHeadStore;

    beforeAll(async () => {
      emulator = await start?.();
      store =
        emulator === undefined ? openInMemory() : await openOnCacheTable(emulator, createGivenHeadStore);
    });
    afterAll(() => emulator?.close());

    test('a key that was given no head has none, and each key and chain has its own', async () => {
      expect(await store.read('one', 'a')).toBeUndefined();
      expect(await store.raise('one', 'a', given(0, 5n))).toEqual(given(0, 5n));
      expect(await store.read('one', 'a')).toEqual(given(0, 5n));
      expect(await store.read('one', 'b')).toBeUndefined();
      expect(await store.read('other', 'a')).toBeUndefined();
    });

    test('a higher one takes its place; a lower one does not, and is told what does', async () => {
      const first = given(0, 100n);
      await store.raise('two', 'a', first);
      expect(await store.raise('two', 'a', given(0, 99n), first)).toEqual(first);
      expect(await store.raise('two', 'a', given(0, 100n, 'second'), first)).toEqual(first);
      expect(await store.raise('two', 'a', given(0, 101n), first)).toEqual(given(0, 101n));
      expect(await store.raise('two', 'a', given(0, 2n ** 70n), first)).toEqual(given(0, 2n ** 70n));
    });

    test('a new sequence takes the place of what was read, and of nothing that came meanwhile', async () => {
      const read = given(0, 100n);
      await store.raise('three', 'a', read);
      await store.raise('three', 'a', given(0, 101n), read);
      expect(await store.raise('three', 'a', given(1, 90n), read)).toEqual(given(0, 101n));
      expect(await store.raise('three', 'a', given(1, 90n), given(0, 101n))).toEqual(given(1, 90n));
      // Of the sequence before, nothing is taken any more.
      expect(await store.raise('three', 'a', given(0, 200n), given(0, 101n))).toEqual(given(1, 90n));
    });

    test('what was shown is noted beside the head that was read, and stays while the head rises', async () => {
      const first = given(0, 100n);
      await store.raise('shown', 'a', first);
      expect(await store.raise('shown', 'a', { ...first, shown: 99n }, first)).toEqual({
        ...first,
        shown: 99n,
      });
      // Two instances read the same item: who writes last can have shown the older block.
      const older = await store.raise('shown', 'a', { ...first, shown: 98n }, first);
      expect(older).toEqual({ ...first, shown: 99n });
      expect(await store.raise('shown', 'a', given(0, 102n))).toEqual({ ...given(0, 102n), shown: 99n });
      const behind = await store.raise('shown', 'a', { ...first, shown: 100n }, first);
      expect(behind).toEqual({ ...given(0, 102n), shown: 99n });
      const higher = { ...given(0, 103n), shown: 103n };
      expect(await store.raise('shown', 'a', higher, behind)).toEqual(higher);
      // With a new sequence it falls: those blocks are gone.
      const anew = { ...given(1, 90n), shown: 90n };
      expect(await store.raise('shown', 'a', anew, higher)).toEqual(anew);
    });

    test('of many at once the highest stands', async () => {
      const numbers = Array.from({ length: 20 }, (_, index) => BigInt((index * 7) % 20));
      await Promise.all(numbers.map((number) => store.raise('four', 'a', given(0, number))));
      expect(await store.read('four', 'a')).toEqual(given(0, 19n));
    });

    test('who took transactions is kept for each chain and name, the last in the place of others', async () => {
      const names = Array.from({ length: 60 }, (_, index) => `0x${index}`);
      const taker = (by: string) => ({ by, at: AT });
      expect(await store.readTakers('a', [])).toEqual(new Map());
      await store.keepTakers('a', new Map(names.map((name) => [name, taker('one')])));
      await store.keepTakers('a', new Map([['0x1', taker('other')]]));
      const read = await store.readTakers('a', [...names, 'none']);
      expect(read).toEqual(new Map(names.map((name) => [name, taker(name === '0x1' ? 'other' : 'one')])));
      expect(await store.readTakers('b', names)).toEqual(new Map());
    });
  });
});

describe('refusals', () => {
  /** Within an hour. */
  const AT = Date.UTC(2026, 10, 20, 9, 30);
  const HOUR_MS = 3_600_000;

  describe.each(EMULATORS)('on $name', ({ start }) => {
    let emulator: Emulator;
    let store: RefusalStore;

    beforeAll(async () => {
      emulator = await start();
      store = await openOnCacheTable(emulator, createRefusalStore);
    });
    afterAll(() => emulator.close());

    test('counts of many instances add up, of the hour and the 23 before it, and of each key alone', async () => {
      const last = { reason: 'method', address: '192.0.2.0/24', at: AT } as const;
      for (const hoursAgo of [0, 0, 23, 24])
        await store.add('one', {
          counts: { method: 2, day: 1 },
          last: { ...last, at: AT - hoursAgo * HOUR_MS },
        });
      expect(await store.read('one', AT)).toEqual({ counts: { method: 6, day: 3 }, last });
      expect(await store.read('other', AT)).toEqual({ counts: {} });
    });

    test('the last refusal is the latest, in whatever order instances write theirs', async () => {
      const latest = { reason: 'api', address: '198.51.100.0/24', at: AT } as const;
      // An instance writes what it did not write at once a minute later.
      const earlier = { reason: 'operation', address: '192.0.2.0/24', at: AT - 1 } as const;
      await store.add('two', { counts: { api: 2 }, last: latest });
      await store.add('two', { counts: { operation: 1, api: 1 }, last: earlier });
      expect(await store.read('two', AT)).toEqual({ counts: { api: 3, operation: 1 }, last: latest });
      const newest = { ...earlier, at: AT + 1 };
      await store.add('two', { counts: { operation: 1 }, last: newest });
      expect(await store.read('two', AT)).toEqual({ counts: { api: 3, operation: 2 }, last: newest });
    });
  });
});

describe('shared texts', () => {
  const view = (sequence: number, number: bigint): SharedText => ({
    sequence,
    toldAt: 1_800_000_000_000,
    text: `[["primary","${number}"]]`,
  });

  describe.each(EMULATORS)('on $name', ({ start }) => {
    let emulator: Emulator;
    let store: SharedTextStore;

    beforeAll(async () => {
      emulator = await start();
      store = await openOnCacheTable(emulator, createSharedTextStore);
    });
    afterAll(() => emulator.close());

    test('a view takes the place of just the one that was read, and each chain has its own', async () => {
      expect(await store.read('a')).toBeUndefined();
      expect(await store.write('a', view(1, 5n), undefined)).toBe(true);
      expect(await store.write('a', view(1, 6n), undefined)).toBe(false);
      expect(await store.read('a')).toEqual(view(1, 5n));
      expect(await store.write('a', view(2, 7n), view(1, 5n))).toBe(true);
      expect(await store.write('a', view(2, 8n), view(1, 5n))).toBe(false);
      expect(await store.read('a', { isNow: true })).toEqual(view(2, 7n));
      expect(await store.read('b')).toBeUndefined();
    });

    test('of many instances that ask at once one writes', async () => {
      const told = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.write('c', view(1, BigInt(index)), undefined)),
      );
      expect(told.filter((isTold) => isTold)).toHaveLength(1);
    });
  });
});
