import type { ChainHeadRecord } from '../../lambdas/indexer/chain-head-record.ts';
import type { StoredResponse } from '../../lambdas/shared/aws/cache-store.ts';
import type { StatusHead } from '../../lambdas/status/chain-status.ts';
import { createRecordedHeads } from '../../lambdas/status/read-heads.ts';
import { StillClock } from '../access/metering-world.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const NODES_SILENT_MS = 60_000;

const HEAD: StatusHead = { block: 7, timeMs: 1_000 };
const NEXT: StatusHead = { block: 8, timeMs: 2_000 };
const AGE_MS = 2_000;

let clock: StillClock;
let found: Map<string, StatusHead & Partial<ChainHeadRecord>>;
let failure: Error | undefined;
let readings: number;

beforeEach(() => {
  clock = new StillClock();
  found = new Map();
  failure = undefined;
  readings = 0;
});

const records = {
  read: async (keys: readonly string[]): Promise<readonly StoredResponse[]> => {
    readings++;
    if (failure !== undefined) throw failure;
    return keys.flatMap((key) => {
      const head = found.get(key.replace('head#', ''));
      if (head === undefined) return [];
      const record: ChainHeadRecord = { heardAtMs: clock.timeMs, ...head };
      return [{ key, body: Buffer.from(JSON.stringify(record)), expiresAt: 0 }];
    });
  },
};

function open(batchMinutes?: number) {
  const { log } = new RecordedTelemetry();
  const readHead = createRecordedHeads(records, ['a', 'b'], { clock, log, batchMinutes });
  return () => Promise.all(['a', 'b'].map((chain) => readHead({ ...CHAIN, chain })));
}

test('tells what is on record, and reads it again after two seconds', async () => {
  const read = open();
  found.set('a', HEAD);
  expect(await read()).toEqual([HEAD, undefined]);
  found.set('a', NEXT).set('b', HEAD);
  clock.timeMs += AGE_MS - 1;
  expect(await read()).toEqual([HEAD, undefined]);
  clock.timeMs += 1;
  expect(await read()).toEqual([NEXT, HEAD]);
  expect(readings).toBe(2);
});

test('a reading that fails leaves the heads as they were, and is not repeated at once', async () => {
  const read = open();
  found.set('a', HEAD);
  await read();
  failure = new Error('timed out');
  clock.timeMs += AGE_MS;
  expect(await read()).toEqual([HEAD, undefined]);
  expect(await read()).toEqual([HEAD, undefined]);
  expect(readings).toBe(2);
  failure = undefined;
  found.set('a', NEXT);
  clock.timeMs += AGE_MS;
  expect(await read()).toEqual([NEXT, undefined]);
});

test('a first reading that fails tells no head', async () => {
  failure = new Error('timed out');
  expect(await open()()).toEqual([undefined, undefined]);
});

test('a head that a reading has no room for stays', async () => {
  const read = open();
  found.set('a', HEAD).set('b', HEAD);
  await read();
  found.delete('b');
  found.set('a', NEXT);
  clock.timeMs += AGE_MS;
  expect(await read()).toEqual([NEXT, HEAD]);
});

test('a head is stuck while its index is halted, and until it is not', async () => {
  const read = open();
  found.set('a', { ...HEAD, heardAtMs: clock.timeMs, halted: true });
  expect(await read()).toEqual([{ ...HEAD, stuck: true }, undefined]);
  clock.timeMs += AGE_MS;
  found.set('a', { ...HEAD, heardAtMs: clock.timeMs });
  expect(await read()).toEqual([HEAD, undefined]);
});

test('a head is stuck once its nodes have been silent for a minute, though the record is there', async () => {
  const read = open();
  found.set('a', { ...HEAD, heardAtMs: clock.timeMs });
  clock.timeMs += NODES_SILENT_MS;
  expect(await read()).toEqual([HEAD, undefined]);
  clock.timeMs += 1;
  expect(await read()).toEqual([{ ...HEAD, stuck: true }, undefined]);
  found.set('a', { ...HEAD, heardAtMs: clock.timeMs });
  clock.timeMs += AGE_MS;
  expect(await read()).toEqual([HEAD, undefined]);
});

test('an index that runs in batches may have got no head of a node since the one before', async () => {
  const read = open(60);
  found.set('a', { ...HEAD, heardAtMs: clock.timeMs });
  clock.timeMs += 60 * 60_000 + NODES_SILENT_MS;
  expect(await read()).toEqual([HEAD, undefined]);
  clock.timeMs += AGE_MS;
  expect(await read()).toEqual([{ ...HEAD, stuck: true }, undefined]);
});
