import { randomBytes } from 'node:crypto';
import { connectFunction } from '../shared/aws/signed-service.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  ACCOUNTS_TABLE_VARIABLE,
  BALANCES_FUNCTION_VARIABLE,
  BALANCES_TABLE_VARIABLE,
  CHARGE_QUEUE_URL_VARIABLE,
  KEYS_TABLE_VARIABLE,
  LANES_TABLE_VARIABLE,
  LEDGER_TABLE_VARIABLE,
  requireVariable,
  UNSETTLED_TABLE_VARIABLE,
} from '../shared/runtime/environment.ts';
import { requestsAtATime } from '../shared/runtime/process-bounds.ts';
import type { StageSettings } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { storeRegularly } from './charge/lane.ts';
import { createSqsChargeQueue } from './charge/lane-message.ts';
import { createMeter, type ProcessMeter } from './meter.ts';
import { createDynamoStore } from './store/dynamo-store.ts';
import { openRefusalStore } from './store/refusal-store.ts';
import type { Store } from './store/store.ts';

/**
 * The meter of this function's environment; open it once per instance. Does no I/O before its first use. A process that
 * is asked to end hands over its unstored charges; one that takes many requests at a time stores them by the clock, and continues
 * until its host ends it.
 */
export function openMeter({
  settings,
  store = openStore(),
}: {
  readonly settings: StageSettings;
  /** @default one of its own */
  readonly store?: Store;
}): ProcessMeter {
  // Absent in functions that may not ask for a balance view.
  const { [BALANCES_FUNCTION_VARIABLE]: balances } = process.env;
  const meter = createMeter({
    store,
    queue: createSqsChargeQueue({ queueUrl: requireVariable(CHARGE_QUEUE_URL_VARIABLE) }),
    settings,
    clock: systemClock,
    randomBytes: (count) => randomBytes(count),
    pause: sleep,
    telemetry: systemTelemetry,
    refusals: openRefusalStore(),
    ...(balances !== undefined && { startBalances: connectFunction(balances) }),
  });
  if (requestsAtATime(process.env) > 1) void storeRegularly(meter, sleep);
  else process.once('SIGTERM', () => meter.handOver().finally(() => process.exit(0)));
  return meter;
}

/** The store of this function's environment. Does no I/O before its first use. */
export function openStore(): Store {
  return createDynamoStore({
    tableNames: {
      keys: requireVariable(KEYS_TABLE_VARIABLE),
      accounts: requireVariable(ACCOUNTS_TABLE_VARIABLE),
      lanes: requireVariable(LANES_TABLE_VARIABLE),
      unsettled: requireVariable(UNSETTLED_TABLE_VARIABLE),
      balances: requireVariable(BALANCES_TABLE_VARIABLE),
      ledger: requireVariable(LEDGER_TABLE_VARIABLE),
    },
  });
}
