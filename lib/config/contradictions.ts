import { CHARGE_RESERVE_MS } from '../../lambdas/rpc/response/render-response.ts';
import { isSchemaName } from '../../lambdas/shared/chain-database/chain-schema.ts';
import { streamMs } from '../../lambdas/shared/http/body-pieces.ts';
import { embeddedUpstreamVariable } from '../../lambdas/shared/runtime/environment.ts';
import { type UpstreamEntry, upstreamReference } from '../../lambdas/shared/runtime/settings.ts';
import { PRIVATE_MEMPOOL, PUBLIC_MEMPOOL } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { isOwnVault } from './backup-config.ts';
import { INSTANCE_MEMORIES_MB, MAX_CONCURRENCY } from './function-config.ts';
import type { StageConfig } from './stage-config.ts';
import {
  hasEmbeddedUpstream,
  isPublicUpstream,
  isShadow,
  isUpstreamReference,
  PUBLIC_UPSTREAM_REASON,
  secretNames,
} from './upstream-reference.ts';

/**
 * Characters of the ARNs of all secrets together, so that the policies of a role that may read them all can name them,
 * and those that an ARN has around the name of its secret.
 */
export const MAX_SECRET_ARNS = 7_000;
export const SECRET_ARN_FRAME = 80;

/**
 * Instances that one function may have: each reads a chain's heads once a second, half a unit of the 3,000 that DynamoDB
 * gives one item in a second, and its tags twice a second, a unit each, while new ones are about to be used (ADR 056).
 */
const SECONDS_PER_MINUTE = 60;
const MAX_EVENT_INSTANCES = 1_000;

const CLOUDFRONT_CERTIFICATE_REGION = 'us-east-1';

interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Entries that are right by themselves and wrong together. */
export function contradictions(config: StageConfig): Contradiction[] {
  return [
    ...chainContradictions(config.chains),
    ...limitContradictions(config),
    ...(Object.hasOwn(config.plans, config.defaultPlan)
      ? []
      : [{ path: ['defaultPlan'], reason: 'must be the name of a plan' }]),
    ...functionContradictions(config),
    ...hostingContradictions(config),
    ...alarmContradictions(config),
    ...domainContradictions(config),
    ...siteContradictions(config),
    ...zoneContradictions(config),
    ...backupContradictions(config),
    ...databaseContradictions(config),
  ];
}

function chainContradictions(chains: StageConfig['chains']): Contradiction[] {
  const found: Contradiction[] = [];
  const defaults = chains.filter((one) => one.default).length;
  if (defaults !== 1) {
    found.push({
      path: ['chains'],
      reason: `must contain exactly one default chain (default: true), not ${defaults}`,
    });
  }
  const names = new Set<string>();
  const variables = new Set<string>();
  for (const [index, one] of chains.entries()) {
    const { chain: name } = one;
    const path = ['chains', index, 'chain'];
    if (names.has(name)) found.push({ path, reason: 'must not be the name of another chain' });
    names.add(name);
    const answering = one.upstreams.filter((entry) => !isShadow(entry));
    if (answering.length === 0)
      found.push({ path: ['chains', index, 'upstreams'], reason: 'must name one that is no shadow' });
    found.push(...tooManyCopies(one.broadcast, answering, ['chains', index, 'broadcast']));
    if (one.agreement !== undefined && answering.length < one.agreement) {
      const reason = `must not be set for fewer than ${one.agreement} upstreams`;
      found.push({ path: ['chains', index, 'agreement'], reason });
    }
    found.push(...privateUpstreams(one, ['chains', index, 'upstreams']));
    if (!hasEmbeddedUpstream(one)) continue;
    const variable = embeddedUpstreamVariable(name);
    if (variables.has(variable)) {
      found.push({ path, reason: 'must differ from other embedded chains in more than "-" and "_"' });
    }
    variables.add(variable);
  }
  return found;
}

/** More copies of a transaction than there are upstreams for them. */
function tooManyCopies(
  broadcast: number | undefined,
  upstreams: readonly UpstreamEntry[],
  path: Contradiction['path'],
): Contradiction[] {
  const mempools = upstreams.map(
    (entry) => (typeof entry === 'string' ? undefined : entry.mempool) ?? PUBLIC_MEMPOOL,
  );
  const shared = mempools.filter((mempool) => mempool !== PRIVATE_MEMPOOL);
  const most = Math.max(
    1,
    ...[...Map.groupBy(shared, (mempool) => mempool).values()].map(({ length }) => length),
  );
  if (broadcast === undefined || broadcast <= most) return [];
  return [{ path, reason: `must be at most ${most}: as many upstreams share a mempool, private ones aside` }];
}

/** Secrets whose ARNs are too long together for the policies of one role. */
function limitContradictions({ chains }: StageConfig): Contradiction[] {
  const found: Contradiction[] = [];
  const names = new Set(chains.flatMap(({ upstreams }) => upstreams.flatMap(secretNames)));
  const characters = [...names].reduce((sum, name) => sum + name.length + SECRET_ARN_FRAME, 0);
  if (characters > MAX_SECRET_ARNS) {
    const reason =
      `must name fewer or shorter secrets: their ARNs have ${characters} characters, and the policies of a role ` +
      `hold ${MAX_SECRET_ARNS}`;
    found.push({ path: ['chains'], reason });
  }
  return found;
}

function privateUpstreams(
  { privateUpstreams, upstreams }: StageConfig['chains'][number],
  path: Contradiction['path'],
): Contradiction[] {
  if (privateUpstreams) return [];
  return upstreams.flatMap((entry, index) =>
    isPublicUpstream(entry) || !isUpstreamReference(upstreamReference(entry))
      ? []
      : [{ path: [...path, index], reason: PUBLIC_UPSTREAM_REASON }],
  );
}

/** Times that end before the ones around them, so that the innermost part that knows the reason tells it, and concurrency. */
function functionContradictions(config: StageConfig): Contradiction[] {
  const found: Contradiction[] = [];
  const { rpc, reserveConcurrency, ...others } = config.functions;
  const sendingMs = streamMs(Math.max(...config.chains.map(({ maxResponseBytes }) => maxResponseBytes)));
  if (rpc.timeoutSeconds * 1_000 <= config.upstreamTimeoutMs + CHARGE_RESERVE_MS + sendingMs) {
    const reason =
      `must be longer than upstreamTimeoutMs plus ${CHARGE_RESERVE_MS} ms` +
      (sendingMs === 0 ? '' : ` plus ${sendingMs} ms to stream maxResponseBytes`);
    found.push({ path: ['functions', 'rpc', 'timeoutSeconds'], reason });
  }
  const { data, status, mcp } = others;
  for (const [name, { reservedConcurrency, provisionedConcurrency }] of Object.entries({
    rpc,
    data,
    status,
    mcp,
  })) {
    if ((provisionedConcurrency ?? 0) <= (reservedConcurrency ?? MAX_CONCURRENCY)) continue;
    const reason = 'must not exceed reservedConcurrency';
    found.push({ path: ['functions', name, 'provisionedConcurrency'], reason });
  }
  if ((rpc.reservedConcurrency ?? 0) > MAX_EVENT_INSTANCES) {
    const reason =
      `must be at most ${MAX_EVENT_INSTANCES}: each instance reads what is shared of a chain up to twice a second, and one item ` +
      'gives no more; "hosting": "instances" needs fewer';
    found.push({ path: ['functions', 'rpc', 'reservedConcurrency'], reason });
  }
  for (const [name, { reservedConcurrency }] of Object.entries({ rpc, ...others })) {
    if (reserveConcurrency || reservedConcurrency === undefined) continue;
    const reason = 'must be absent if functions.reserveConcurrency is false';
    found.push({ path: ['functions', name, 'reservedConcurrency'], reason });
  }
  // For a moment a key may have twice as many.
  if (2 * config.dataApi.exportsPerKey > (data.reservedConcurrency ?? MAX_CONCURRENCY)) {
    const reason = 'must be at most half of functions.data.reservedConcurrency';
    found.push({ path: ['dataApi', 'exportsPerKey'], reason });
  }
  return found;
}

/** Entries that do not go with the hosting of their function: environments of many requests have no concurrency. */
function hostingContradictions({ functions: { rpc, data, mcp } }: StageConfig): Contradiction[] {
  return Object.entries({ rpc, data, mcp }).flatMap(([name, size]) => {
    const { hosting, environments, memoryMb, reservedConcurrency, provisionedConcurrency } = size;
    const wrong = (isWrong: boolean, entry: string, reason: string) =>
      isWrong ? [{ path: ['functions', name, ...entry.split('.')], reason }] : [];
    if (hosting === 'event')
      return wrong(
        environments !== undefined,
        'environments',
        'must be absent unless hosting is "instances"',
      );
    const memories = INSTANCE_MEMORIES_MB.join(', ');
    return [
      ...wrong(
        reservedConcurrency !== undefined,
        'reservedConcurrency',
        'must be absent if hosting is "instances": environments.max is its bound',
      ),
      ...wrong(
        provisionedConcurrency !== undefined,
        'provisionedConcurrency',
        'must be absent if hosting is "instances": environments.min always run',
      ),
      ...wrong(
        !INSTANCE_MEMORIES_MB.includes(memoryMb),
        'memoryMb',
        `must be one of ${memories} if hosting is "instances"`,
      ),
      ...wrong(
        environments !== undefined && environments.min > environments.max,
        'environments.max',
        'must not be less than environments.min',
      ),
    ];
  });
}

/** A budget tells an operator, and an alarm says that a release fails. */
function alarmContradictions({ alarms, releases, probe }: StageConfig): Contradiction[] {
  const found: Contradiction[] = [];
  if (alarms.monthlyBudgetUsd !== undefined && alarms.email === undefined)
    found.push({ path: ['alarms', 'monthlyBudgetUsd'], reason: 'must be absent without alarms.email' });
  if (releases.canary && !alarms.enabled)
    found.push({ path: ['releases', 'canary'], reason: 'must be false if alarms.enabled is false' });
  if (releases.differences.length > 0 && (!releases.canary || probe === undefined))
    found.push({
      path: ['releases', 'differences'],
      reason: 'must be empty without releases.canary and probe',
    });
  return found;
}

/** A regional API takes certificates of its own region only. */
function domainContradictions({ region, domain }: StageConfig): Contradiction[] {
  if (region === undefined || domain === undefined) return [];
  if (regionOf(domain.certificateArn) === region) return [];
  return [{ path: ['domain', 'certificateArn'], reason: `must be a certificate in ${region}` }];
}

/** CloudFront takes certificates of one region only. */
function siteContradictions({ domain, site }: StageConfig): Contradiction[] {
  if (site?.domain === undefined) return [];
  const found: Contradiction[] = [];
  if (regionOf(site.domain.certificateArn) !== CLOUDFRONT_CERTIFICATE_REGION) {
    const reason = `must be a certificate in ${CLOUDFRONT_CERTIFICATE_REGION}: CloudFront accepts no other`;
    found.push({ path: ['site', 'domain', 'certificateArn'], reason });
  }
  if (site.domain.name === domain?.name)
    found.push({ path: ['site', 'domain', 'name'], reason: 'must be another name than domain.name' });
  return found;
}

/** Route 53 takes no record that is not within its zone: the deployment would fail at its end. */
function zoneContradictions({ domain, site }: StageConfig): Contradiction[] {
  const named = [
    { path: ['domain'], entry: domain },
    { path: ['site', 'domain'], entry: site?.domain },
  ];
  return named.flatMap(({ path, entry }) => {
    if (entry?.hostedZone === undefined) return [];
    const { name, hostedZone } = entry;
    if (name === hostedZone.name || name.endsWith(`.${hostedZone.name}`)) return [];
    const reason = `must be ${name} or a domain that it is in`;
    return [{ path: [...path, 'hostedZone', 'name'], reason }];
  });
}

/** A vault takes keys of its own region only, and a copy is in another vault than what it was made of. */
function backupContradictions({ stage, region, backup }: StageConfig): Contradiction[] {
  if (region === undefined || backup === undefined) return [];
  const found: Contradiction[] = [];
  if (backup.keyArn !== undefined && regionOf(backup.keyArn) !== region)
    found.push({ path: ['backup', 'keyArn'], reason: `must be a key in ${region}` });
  const vault = backup.copyTo.split(':').at(-1) ?? '';
  // A vault of this name in another account could only be named with a key.
  if (regionOf(backup.copyTo) === region && isOwnVault(stage, vault) && backup.keyArn === undefined)
    found.push({ path: ['backup', 'copyTo'], reason: "must not be the stage's own vault" });
  return found;
}

function regionOf(arn: string): string | undefined {
  return arn.split(':')[3];
}

/** Between two batches a chain is behind: whoever wants to be called for that cannot have them. */
function batchContradictions({ alarms, chains, indexing }: StageConfig): Contradiction[] {
  const { batchMinutes } = indexing;
  if (!indexing.enabled || batchMinutes === undefined) return [];
  const path = ['indexing', 'batchMinutes'];
  const found: Contradiction[] = [];
  if (alarms.enabled && alarms.extent !== 'least')
    found.push({
      path,
      reason: 'must be absent unless alarms.extent is "least": others call for a chain that is behind',
    });
  for (const [index, { maxHeadLagSeconds = Number.POSITIVE_INFINITY }] of chains.entries()) {
    const reason = `must be more than the ${batchMinutes} minutes between two batches (indexing.batchMinutes)`;
    if (maxHeadLagSeconds <= batchMinutes * SECONDS_PER_MINUTE)
      found.push({ path: ['chains', index, 'maxHeadLagSeconds'], reason });
  }
  return found;
}

/** Each chain has a schema of its name in the chain database. */
function databaseContradictions(config: StageConfig): Contradiction[] {
  const { chains, database, indexing } = config;
  if (!database.enabled) {
    const reason = 'must be false if database.enabled is false';
    return indexing.enabled ? [{ path: ['indexing', 'enabled'], reason }] : [];
  }
  const { minAcu, maxAcu, autoPauseMinutes } = database;
  const found = batchContradictions(config);
  if (minAcu > maxAcu) {
    found.push({ path: ['database', 'maxAcu'], reason: 'must not be less than minAcu' });
  }
  if (autoPauseMinutes !== undefined && minAcu > 0) {
    const reason = 'must be absent unless minAcu is 0: only then the database pauses';
    found.push({ path: ['database', 'autoPauseMinutes'], reason });
  }
  for (const [index, { chain }] of chains.entries()) {
    if (isSchemaName(chain)) continue;
    const reason = 'must not be the name of a PostgreSQL system schema: each chain has a schema of its name';
    found.push({ path: ['chains', index, 'chain'], reason });
  }
  return found;
}
