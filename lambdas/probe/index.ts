import { readSecret } from 'gateway-access';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  INDEXED_CHAIN_VARIABLE,
  PROBE_SECRET_VARIABLE,
  PROBE_URL_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { runProbe } from './handler.ts';

const secret = requireVariable(PROBE_SECRET_VARIABLE);
const parts = {
  url: requireVariable(PROBE_URL_VARIABLE),
  dataChain: process.env[INDEXED_CHAIN_VARIABLE],
  readKey: () => readSecret(secret),
  fetch,
  clock: systemClock,
  telemetry: systemTelemetry,
};

/** Asks the stage by its public name, every minute. */
export const handler = (): Promise<void> => runProbe(parts);
