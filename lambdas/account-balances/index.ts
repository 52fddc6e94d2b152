import { openStore } from 'gateway-access';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { loadStageSettings } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { runBalances } from './handler.ts';

const parts = {
  store: openStore(),
  clock: systemClock,
  pause: sleep,
  telemetry: systemTelemetry,
  settings: loadStageSettings(requireVariable('LAMBDA_TASK_ROOT')),
};

/** Keeps the balances of accounts with many lanes: started every minute, and by who wants the first one. */
export const handler = (): Promise<void> => runBalances(parts);
