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
  /** Deletes a version that no alias names. */
  deleteVersion(released: LiveFunction, version: number): Promise<void>;
}
