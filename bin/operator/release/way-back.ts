/** Versions of one release are made within this time of each other: a deployment takes less. */
const RELEASE_SPAN_MS = 60 * 60_000;

/** A function behind the API, whose alias `live` is what the API calls. */
export interface LiveFunction {
  /** Such as `rpc`. */
  readonly name: string;
  /** Its name in AWS. */
  readonly functionName: string;
}

/** A version of a function: code and configuration as they were published once. */
export interface PublishedVersion {
  readonly version: number;
  /** When its code was deployed, in milliseconds since the epoch. */
  readonly madeAt: number;
}

/** Where the alias of a function points. */
export interface LiveAlias {
  readonly version: number;
  /** A second version, and its share of the requests from 0 to 1: a release is under way, or was left in its midst. */
  readonly second?: { readonly version: number; readonly weight: number };
  /** Changes with each change of the alias. */
  readonly revision: string;
}

/** State of a function behind the API. */
export interface ReleasedFunction extends LiveFunction {
  readonly alias: LiveAlias;
  /** All that are there, the oldest first. */
  readonly versions: readonly PublishedVersion[];
  /** Versions that were rolled back. */
  readonly left: readonly number[];
}

/** The releases of a stack in AWS. Each method rejects as the service fails. */
export interface ReleaseAccess {
  functions(): Promise<readonly ReleasedFunction[]>;
  /** Ids of deployments of CodeDeploy that are under way. */
  deployments(): Promise<readonly string[]>;
  /** Stops a deployment with its own way back, and waits for the end of both. */
  stopDeployment(id: string): Promise<void>;
  /** All requests to one version, unless the alias has changed since it was read. */
  point(released: ReleasedFunction, version: number): Promise<void>;
  /** Records that a version was rolled back. */
  leave(released: ReleasedFunction, version: number): Promise<void>;
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
  const newest = Math.max(...functions.map((one) => madeAt(one, newestLive(one))));
  const isPart = (one: ReleasedFunction) => madeAt(one, newestLive(one)) >= newest - RELEASE_SPAN_MS;
  const steps: StepBack[] = [];
  const stuck: ReleasedFunction[] = [];
  for (const released of functions.filter(isPart)) {
    const from = newestLive(released);
    const to = versionBefore(released);
    if (to === undefined) stuck.push(released);
    else steps.push({ released, from, to });
  }
  return { steps, stuck, staying: functions.filter((one) => !isPart(one)) };
}

/** The version that a function goes back to; undefined: absent. */
function versionBefore(released: ReleasedFunction): number | undefined {
  const { alias, versions, left } = released;
  if (alias.second !== undefined) return Math.min(alias.version, alias.second.version);
  const earlier = versions.filter(({ version }) => version < alias.version && !left.includes(version));
  return earlier.at(-1)?.version;
}

/** When a version was made, in milliseconds since the epoch; 0 for one that is gone. */
export function madeAt({ versions }: ReleasedFunction, version: number): number {
  return versions.find((one) => one.version === version)?.madeAt ?? 0;
}

function newestLive({ alias }: ReleasedFunction): number {
  return Math.max(alias.version, alias.second?.version ?? 0);
}
