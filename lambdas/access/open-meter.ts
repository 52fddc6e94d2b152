import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import {
  ACCOUNTS_TABLE_VARIABLE,
  CHARGE_QUEUE_URL_VARIABLE,
  KEYS_TABLE_VARIABLE,
  LEDGER_TABLE_VARIABLE,
  requireVariable,
  USAGE_TABLE_VARIABLE,
} from '../environment.ts';
import { emitMetrics } from '../metrics.ts';
import type { StageSettings } from '../settings.ts';
import type { Pause } from './charge.ts';
import { createSqsChargeQueue } from './charge-queue.ts';
import { createDynamoStore } from './dynamo-store.ts';
import { createMeter } from './meter.ts';
import type { Meter } from './metering.ts';
import type { Store } from './store.ts';

const pause: Pause = (durationMs) => sleep(durationMs);

/** The meter of this function's environment, to be opened once per instance. Does no I/O before its first use. */
export function openMeter({ settings }: { settings: StageSettings }): Meter {
  const meter = createMeter({
    store: openStore(),
    queue: createSqsChargeQueue({ queueUrl: requireVariable(CHARGE_QUEUE_URL_VARIABLE) }),
    settings,
    clock: systemClock,
    randomBytes: (count) => randomBytes(count),
    pause,
  });
  return {
    ...meter,
    charge: async (holder, cu, usage) => {
      const outcome = await meter.charge(holder, cu, usage);
      if (outcome.state === 'queued') emitMetrics({ values: { ChargesQueued: 1 } }, systemClock.now());
      if (outcome.state === 'lost') emitMetrics({ values: { ChargesLost: 1 } }, systemClock.now());
      return outcome;
    },
  };
}

/** The store of this function's environment. Does no I/O before its first use. */
export function openStore(): Store {
  return createDynamoStore({
    tableNames: {
      keys: requireVariable(KEYS_TABLE_VARIABLE),
      accounts: requireVariable(ACCOUNTS_TABLE_VARIABLE),
      ledger: requireVariable(LEDGER_TABLE_VARIABLE),
      usage: requireVariable(USAGE_TABLE_VARIABLE),
    },
  });
}
