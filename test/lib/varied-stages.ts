import { readFileSync } from 'node:fs';
import { stageFile } from '../../lib/config/stage-files.ts';
import { synthesisedTogether } from '../support/synthesised-once.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

const contentOf = (stage: string) => JSON.parse(readFileSync(stageFile(stage), 'utf8'));
const local = contentOf('local');
const production = contentOf('example-production');

/** Contents of stage files that differ from a shipped one in one part, which a test looks at. */
const VARIED = {
  canary: {
    ...local,
    releases: { canary: true },
    database: { enabled: false },
    indexing: { enabled: false },
  },
  quiet: { ...local, alarms: { enabled: false } },
  started: {
    ...local,
    functions: { rpc: { provisionedConcurrency: 3 } },
    tracing: true,
    metrics: { byChain: true },
    alarms: {
      enabled: true,
      pageUrl: 'https://pages.example.com/1',
      runbookUrl: 'https://docs.example.com/runbook',
    },
  },
  pausing: { ...local, database: { minAcu: 0, maxAcu: 2, autoPauseMinutes: 10 } },
  withoutDatabase: { ...local, database: { enabled: false }, indexing: { enabled: false } },
  olderDatabase: { ...production, database: { ...production.database, engineVersion: '17.6' } },
  trial: { ...production, removal: 'destroy' },
  newAccount: { ...production, functions: { reserveConcurrency: false } },
  limiting: { ...production, firewall: { requestsPerAddress: 1_234 } },
  usualFirewall: { ...production, firewall: {} },
  withoutFirewall: { ...production, firewall: { enabled: false } },
};

/** One of them. All are made by the first file that asks: a process for each file would load the CDK each time. */
export function variedStage(name: keyof typeof VARIED): SynthesisedStage {
  return new SynthesisedStage(synthesisedTogether(VARIED)[name]);
}
