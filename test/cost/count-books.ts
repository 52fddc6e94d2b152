import { randomBytes } from 'node:crypto';
import type { CountedOperations } from '../../bin/cost/counted-file.ts';
import type { WorkParts } from '../../lambdas/access/account-work.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { runAudit } from '../../lambdas/audit/audit.ts';
import { openEvidence } from '../../lambdas/settlement/evidence.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import { HOUR_MS } from '../../lambdas/shared/runtime/clock.ts';
import { connectCounted } from '../emulators/consumed-units.ts';
import { startDynoxide } from '../emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type BookOperations = CountedOperations['settlement'];

/** Accounts that are settled and audited while that is counted. */
const ACCOUNTS = 20;
const PLAN = { bucketCapacity: 1_000, refillPerSecond: 1, drawAhead: false, shards: 1 };
const START = Date.UTC(2026, 10, 20, 12, 30);
const PATIENT_MS = 60_000;
const FAR_MS = 3_600_000;

/**
 * Settles and audits accounts that had traffic in an hour that is closed, in tables of their own. Settlement takes an hour off
 * its work list in the run after the one that settled it.
 */
export async function countBooks(): Promise<Readonly<Record<'settlement' | 'audit', BookOperations>>> {
  const emulator = await startDynoxide();
  try {
    const consumed = { reads: 0, writes: 0 };
    const store = createDynamoStore({
      tableNames: await createMeteringTables(emulator.endpoint, 'books'),
      clientConfig: emulatorClientConfig(emulator.endpoint),
      connectTimeoutMs: PATIENT_MS,
      requestTimeoutMs: PATIENT_MS,
      connect: connectCounted(({ readUnits, writeUnits }) => {
        consumed.reads += readUnits;
        consumed.writes += writeUnits;
      }),
    });
    let now = START;
    const clock = { now: () => now };
    const common = { store, clock, pause: async () => {}, telemetry: new RecordedTelemetry() };
    const queue = { send: () => Promise.reject(new Error('nothing was to be left over')) };
    const meter = createMeter({
      ...common,
      queue,
      settings: {
        plans: { standard: PLAN },
        defaultPlan: 'standard',
        metering: { storeBeforeAnswer: true, groupCommitCu: 0 },
      },
      randomBytes,
    });
    for (let number = 0; number < ACCOUNTS; number += 1) {
      const account = `settled-${number}`;
      const credit = { cu: 10_000, reference: 'cost' };
      await createAccount(store, clock, { account, plan: 'standard', credit });
      const usage = [
        { chain: 'example_mainnet', method: 'eth_call', calls: 60, cu: 1_200, cached: 0, errors: 0 },
      ];
      const outcome = await meter.charge({ account, keyId: account }, 1_200, usage).store();
      if (outcome !== 'stored') throw new Error(`a charge is ${outcome}`);
    }
    now += 2 * HOUR_MS;
    const work: Omit<WorkParts, 'books'> = { queue, remainingMs: () => FAR_MS };
    const books = openEvidence(
      common,
      { evidence: new MemoryObjects(), heads: new MemoryObjects() },
      (count) => randomBytes(count),
    );
    const count = async (run: () => Promise<void>): Promise<BookOperations> => {
      const before = { ...consumed };
      await run();
      return {
        reads: (consumed.reads - before.reads) / ACCOUNTS,
        writes: (consumed.writes - before.writes) / ACCOUNTS,
      };
    };
    return {
      settlement: await count(async () => {
        for (let run = 0; run < 2; run += 1) await runSettlement({ ...work, books }, {});
      }),
      audit: await count(() => runAudit({ ...work, books }, {})),
    };
  } finally {
    await emulator.close();
  }
}
