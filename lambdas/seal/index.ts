import { randomBytes } from 'node:crypto';
import { connectHeadSigner, connectObjects, connectSecrets, openStore } from 'gateway-access';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  EVIDENCE_BUCKET_VARIABLE,
  HEAD_KEY_VARIABLE,
  HEADS_BUCKET_VARIABLE,
  ISSUER_SECRET_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { renewIssuer } from './renew-issuer.ts';
import { runSeal } from './seal-head.ts';

const TIMES = { connectTimeoutMs: 1_000, timeoutMs: 10_000 };

const secrets = connectSecrets(TIMES);

const books = {
  store: openStore(),
  clock: systemClock,
  pause: sleep,
  telemetry: systemTelemetry,
  heads: connectObjects({ bucket: requireVariable(HEADS_BUCKET_VARIABLE), ...TIMES }),
  evidence: connectObjects({ bucket: requireVariable(EVIDENCE_BUCKET_VARIABLE), ...TIMES }),
  signer: connectHeadSigner({ keyArn: requireVariable(HEAD_KEY_VARIABLE), ...TIMES }),
  writeIssuer: (text: string) => secrets.write(requireVariable(ISSUER_SECRET_VARIABLE), text),
  randomBytes: (count: number) => randomBytes(count),
};

/** Seals what was settled since the last head; the first run of a day makes the key of its receipts. Started by the hourly rule. */
export const handler = async (): Promise<void> => {
  await runSeal(books);
  await renewIssuer(books);
};
