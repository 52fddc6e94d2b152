import { readFileSync } from 'node:fs';
import { stageFile } from '../../lib/config/stage-files.ts';
import { synthesisedTogether } from '../support/synthesised-once.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

const contentOf = (stage: string) => JSON.parse(readFileSync(stageFile(stage), 'utf8'));
const local = contentOf('local');
const production = contentOf('example-production');

const instances = contentOf('example-instances');

const KEY_ARN = 'arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-000000000000';

/** A stage in another region, as the guide has it for a region that is lost: the DNS record is moved by hand. */
function elsewhere({ domain: { hostedZone, ...domain }, ...stage }: typeof production) {
  const certificateArn = domain.certificateArn.replace('us-east-1', 'eu-west-1');
  return { ...stage, region: 'eu-west-1', domain: { ...domain, certificateArn } };
}

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
    logs: { runs: true },
    probe: { secret: 'gateway/local/probe' },
    indexing: { enabled: true, memoryMb: 1_769 },
    alarms: {
      enabled: true,
      pageUrl: 'https://pages.example.com/1',
      runbookUrl: 'https://docs.example.com/runbook',
    },
  },
  pausing: { ...local, database: { minAcu: 0, maxAcu: 2, autoPauseMinutes: 10 } },
  withoutDatabase: { ...local, database: { enabled: false }, indexing: { enabled: false } },
  olderDatabase: { ...production, database: { ...production.database, engineVersion: '17.6' } },
  standingBy: {
    ...production,
    database: { minAcu: 2, maxAcu: 8, standby: true, ioOptimized: true },
    backup: { ...production.backup, everyHours: 4, keepDays: 7, keyArn: KEY_ARN },
  },
  elsewhere: elsewhere(production),
  trial: { ...production, removal: 'destroy', backup: { ...production.backup, everyHours: 24 } },
  paced: {
    ...local,
    chains: [{ ...local.chains[0], upstreams: [{ embedded: true, callsPerSecond: 25 }] }],
  },
  newAccount: { ...production, functions: { reserveConcurrency: false } },
  limiting: { ...production, firewall: { requestsPerAddress: 1_234 } },
  busyEvents: { ...instances, functions: { status: { reservedConcurrency: 20 } } },
  dataOnInstances: { ...local, alarms: { enabled: true }, functions: { data: { hosting: 'instances' } } },
  usualFirewall: { ...production, firewall: {} },
  withoutFirewall: { ...production, firewall: { enabled: false } },
};

/** One of them. All are made by the first file that asks: a process for each file would load the CDK each time. */
export function variedStage(name: keyof typeof VARIED): SynthesisedStage {
  return new SynthesisedStage(synthesisedTogether(VARIED)[name]);
}
