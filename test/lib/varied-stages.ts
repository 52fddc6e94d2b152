import { readFileSync } from 'node:fs';
import { stageFile } from '../../lib/config/stage-files.ts';
import { synthesisedTogether } from '../support/synthesised-once.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

const contentOf = (stage: string) => JSON.parse(readFileSync(stageFile(stage), 'utf8'));
const local = contentOf('local');
const production = contentOf('example-production');

const instances = contentOf('example-instances');

const KEY_ARN = 'arn:aws:kms:eu-west-1:111122223333:key/00000000-0000-0000-0000-000000000000';

/** A stage in another region, as the guide has it for a region that is lost: the DNS record is moved by hand. */
function elsewhere({ domain: { hostedZone, ...domain }, ...stage }: typeof production) {
  const certificateArn = domain.certificateArn.replace('us-east-1', 'eu-west-1');
  return { ...stage, region: 'eu-west-1', domain: { ...domain, certificateArn } };
}

/** Domain of the site of `most`. */
export const SITE_DOMAIN = {
  name: 'docs.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/00000000-0000-0000-0000-000000000000',
  hostedZone: { id: 'Z0EXAMPLE', name: 'example.com' },
};

/** What each chain of `lagging` allows its head, by its name. */
export const LAGS: Readonly<Record<string, number | undefined>> = {
  fast: 2,
  usual: 120,
  hourly: 3_600,
  daily: 86_400,
  on_demand: undefined,
};

/** Contents of stage files that together have what no shipped one has. A synthesis is dear, so each varies in much. */
const VARIED = {
  /** The local stage with all that it can do without left out, and with canaries. */
  least: {
    ...local,
    releases: { canary: true },
    database: { enabled: false },
    indexing: { enabled: false },
    firewall: { enabled: false },
    site: { enabled: false },
  },
  /** The local stage with all that it has not: instances, a pausing database, a bounded provider, a site, a probe. */
  most: {
    ...local,
    chains: [{ ...local.chains[0], upstreams: [{ embedded: true, callsPerSecond: 25 }] }],
    functions: { rpc: { provisionedConcurrency: 3 }, data: { hosting: 'instances' } },
    database: { minAcu: 0, maxAcu: 2, autoPauseMinutes: 10 },
    probe: { secret: 'gateway/local/probe' },
    indexing: { enabled: true, memoryMb: 1_769 },
    site: { enabled: true, domain: SITE_DOMAIN },
    alarms: {
      enabled: true,
      pageUrl: 'https://pages.example.com/1',
      runbookUrl: 'https://docs.example.com/runbook',
    },
  },
  /** The production stage in another region, in a new account, with another database, firewall and backup, and a probe. */
  moved: {
    ...elsewhere(production),
    probe: { secret: 'gateway/moved/probe' },
    releases: { canary: true, differences: ['listBlocks: body'] },
    functions: { reserveConcurrency: false },
    firewall: { requestsPerAddress: 1_234 },
    database: { minAcu: 2, maxAcu: 8, standby: true, ioOptimized: true, engineVersion: '17.6' },
    backup: { ...production.backup, everyHours: 4, keepDays: 7, keyArn: KEY_ARN },
  },
  /** The production stage as a trial, which leaves nothing behind and tells nobody. */
  trial: {
    ...production,
    removal: 'destroy',
    backup: { ...production.backup, everyHours: 24 },
    releases: { canary: false },
    alarms: { enabled: false },
  },
  busyEvents: { ...instances, functions: { status: { reservedConcurrency: 20 } } },
  lagging: {
    ...production,
    chains: Object.entries(LAGS).map(([chain, maxHeadLagSeconds], index) => ({
      chain,
      name: chain,
      chainId: index + 1,
      default: index === 0,
      maxHeadLagSeconds,
      ...(chain === 'daily'
        ? { upstreams: ['secret:gateway/one', 'secret:gateway/two'], agreement: 2 }
        : { upstreams: ['secret:gateway/one'] }),
    })),
  },
};

/** One of them. All are made by the first file that asks: a process for each file would load the CDK each time. */
export function variedStage(name: keyof typeof VARIED): SynthesisedStage {
  return new SynthesisedStage(() => synthesisedTogether(VARIED)[name]);
}
