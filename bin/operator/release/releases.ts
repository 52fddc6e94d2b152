import { withRetry } from '../../../lambdas/shared/runtime/with-retry.ts';
import { ASK_AGAIN, type AskAws, AwsRefusal, asked } from '../context/ask-aws.ts';
import type { ReleaseAccess } from '../context/command.ts';
import type { LiveFunction } from '../context/gateway-outputs.ts';

const ALIAS = 'live';
/** The version that is not published yet. */
const LATEST = '$LATEST';
/** Pages of a list that are read at most: two thousand versions. */
const MAX_PAGES = 40;
/** A deployment that is stopped ends within seconds, and its way back too: time between two looks, and how many there are. */
const LOOK_PAUSE_MS = 1_000;
const MAX_LOOKS = 120;
const UNDER_WAY: readonly unknown[] = ['Created', 'Queued', 'InProgress', 'Baking', 'Ready'];
/** Tag of a function with the versions that were rolled back, and how many of them it names. */
const LEFT_TAG = 'gateway-left-versions';
const MAX_LEFT = 20;
/** Versions of one release are made within this time of each other: a deployment takes less. */
const RELEASE_SPAN_MS = 60 * 60_000;

/** State of a function behind the API, and where its alias points. */
export interface ReleasedFunction extends LiveFunction {
  /** ARN of the function without a version. */
  readonly arn: string;
  readonly version: number;
  /** A second version, and its share of the requests from 0 to 1: a release is under way, or was left in its midst. */
  readonly second?: { readonly version: number; readonly weight: number };
  /** Changes with each change of the alias. */
  readonly revision: string;
  /** When each version that is there was made, in milliseconds since the epoch, the oldest version first. */
  readonly versions: ReadonlyMap<number, number>;
  /** Versions that were rolled back. */
  readonly left: readonly number[];
}

/** The version to which a function is to go back. */
export interface StepBack {
  readonly released: ReleasedFunction;
  readonly from: number;
  readonly to: number;
}

/** The way back of a stack: functions that change, and those that the last release did not change. */
interface WayBack {
  readonly steps: readonly StepBack[];
  readonly staying: readonly ReleasedFunction[];
  /** Functions of the last release without an earlier version that was not left before. */
  readonly stuck: readonly ReleasedFunction[];
}

/**
 * The versions before the last release. A function whose newest version is much older than that of another was not part
 * of it, and stays. Where two versions share the requests, the older one is the way back; otherwise the newest one before
 * that was not rolled back itself.
 */
export function wayBack(functions: readonly ReleasedFunction[]): WayBack {
  const madeAt = (one: ReleasedFunction) => one.versions.get(newestLive(one)) ?? 0;
  const newest = Math.max(...functions.map(madeAt));
  const isPart = (one: ReleasedFunction) => madeAt(one) >= newest - RELEASE_SPAN_MS;
  const steps: StepBack[] = [];
  const stuck: ReleasedFunction[] = [];
  for (const released of functions.filter(isPart)) {
    const to = versionBefore(released);
    if (to === undefined) stuck.push(released);
    else steps.push({ released, from: newestLive(released), to });
  }
  return { steps, stuck, staying: functions.filter((one) => !isPart(one)) };
}

/** The version that a function goes back to; undefined: absent. */
function versionBefore({ version, second, versions, left }: ReleasedFunction): number | undefined {
  if (second !== undefined) return Math.min(version, second.version);
  return [...versions.keys()].filter((one) => one < version && !left.includes(one)).at(-1);
}

function newestLive({ version, second }: ReleasedFunction): number {
  return Math.max(version, second?.version ?? 0);
}

/** All functions as they are. */
export function readReleased(releases: ReleaseAccess): Promise<ReleasedFunction[]> {
  return Promise.all(releases.functions.map((one) => readFunction(releases, one)));
}

async function readFunction(releases: ReleaseAccess, one: LiveFunction): Promise<ReleasedFunction> {
  const alias = await lambda(releases, aliasPath(one));
  const arn = String(alias.AliasArn).slice(0, String(alias.AliasArn).lastIndexOf(':'));
  const { Tags = {} } = await lambda(releases, tagsPath(arn));
  // An alias has one second version at most.
  const [second] = Object.entries<number>(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
  return {
    ...one,
    arn,
    version: Number(alias.FunctionVersion),
    ...(second !== undefined && { second: { version: Number(second[0]), weight: second[1] } }),
    revision: String(alias.RevisionId),
    versions: await readVersions(releases, one),
    left: Tags[LEFT_TAG]?.split(' ').map(Number) ?? [],
  };
}

async function readVersions(
  releases: ReleaseAccess,
  { functionName }: LiveFunction,
): Promise<ReadonlyMap<number, number>> {
  const versions: [number, number][] = [];
  let query: { readonly Marker?: string } = {};
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const path = `/2015-03-31/functions/${functionName}/versions`;
    const { Versions = [], NextMarker } = await lambda(releases, path, { query });
    for (const { Version, LastModified } of Versions)
      if (Version !== LATEST) versions.push([Number(Version), Date.parse(LastModified)]);
    if (typeof NextMarker !== 'string') return new Map(versions.sort(([one], [other]) => one - other));
    query = { Marker: NextMarker };
  }
  throw new Error(`${functionName} has more versions than are read`);
}

/** All requests to one version, unless the alias has changed since it was read. */
export async function point(
  releases: ReleaseAccess,
  released: ReleasedFunction,
  version: number,
): Promise<void> {
  const body = {
    FunctionVersion: String(version),
    RoutingConfig: { AdditionalVersionWeights: {} },
    RevisionId: released.revision,
  };
  await lambda(releases, aliasPath(released), { method: 'PUT', body: JSON.stringify(body) });
}

/** Records that a version was rolled back. */
export async function leave(
  releases: ReleaseAccess,
  { arn, left }: ReleasedFunction,
  version: number,
): Promise<void> {
  const Tags = { [LEFT_TAG]: [...new Set([...left, version])].slice(-MAX_LEFT).join(' ') };
  await lambda(releases, tagsPath(arn), { method: 'POST', body: JSON.stringify({ Tags }) });
}

/** Ids of deployments of CodeDeploy that are under way. */
export async function deploymentsUnderWay(releases: ReleaseAccess): Promise<string[]> {
  const { application: applicationName } = releases;
  if (applicationName === undefined) return [];
  const { deploymentGroups = [] } = await codeDeploy(releases, 'ListDeploymentGroups', { applicationName });
  const ids: string[] = [];
  for (const deploymentGroupName of deploymentGroups) {
    const asked = { applicationName, deploymentGroupName, includeOnlyStatuses: UNDER_WAY };
    ids.push(...((await codeDeploy(releases, 'ListDeployments', asked)).deployments ?? []));
  }
  return ids;
}

/** Stops a deployment with its own way back, and waits for the end of both. */
export async function stopDeployment(releases: ReleaseAccess, deploymentId: string): Promise<void> {
  const stop = { deploymentId, autoRollbackEnabled: true };
  await codeDeploy(releases, 'StopDeployment', stop).catch((error: unknown) => {
    // It ended meanwhile: the alias says how.
    if (!(error instanceof AwsRefusal && error.code === 'DeploymentAlreadyCompletedException')) throw error;
  });
  let waitedFor: unknown = deploymentId;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = await codeDeploy(releases, 'GetDeployment', { deploymentId: waitedFor });
    const { status, rollbackInfo } = found.deploymentInfo ?? {};
    if (UNDER_WAY.includes(status)) await releases.pause(LOOK_PAUSE_MS);
    else if (rollbackInfo?.rollbackDeploymentId === undefined) return;
    else waitedFor = rollbackInfo.rollbackDeploymentId;
  }
  throw new Error(`deployment ${waitedFor} does not stop`);
}

function aliasPath({ functionName }: LiveFunction): string {
  return `/2015-03-31/functions/${functionName}/aliases/${ALIAS}`;
}

function tagsPath(arn: string): string {
  return `/2017-03-31/tags/${encodeURIComponent(arn)}`;
}

async function lambda(
  { ask, region }: ReleaseAccess,
  action: string,
  request: NonNullable<Parameters<AskAws>[0]['request']> = {},
) {
  const call = { service: 'lambda', action, region, request } as const;
  return JSON.parse((await withRetry(() => asked(ask, call), ASK_AGAIN)) || '{}');
}

async function codeDeploy({ ask, region }: ReleaseAccess, action: string, parameters: object) {
  const call = { service: 'codedeploy', action, region, parameters: { ...parameters } } as const;
  return JSON.parse((await withRetry(() => asked(ask, call), ASK_AGAIN)) || '{}');
}
