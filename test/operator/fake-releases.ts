import type { AskAws } from '../../bin/operator/context/ask-aws.ts';

/** A function with its versions, and where its alias `live` points. */
export interface FakeFunction {
  version: number;
  weights: Record<string, number>;
  revision: number;
  tags: Record<string, string>;
  /** When each version was made, ISO 8601, by its number. */
  readonly versions: Map<number, string>;
}

/** A deployment of one function, and the one that takes it back. */
export interface FakeDeployment {
  readonly functionName: string;
  status: string;
  rollbackOf?: string;
  /** Looks that it takes to end once it is to. */
  looks: number;
  /** Version that the alias has at its end. */
  target: number;
}

interface FakeResponse {
  readonly status: number;
  readonly body: object;
}

const REGION_ARN = 'arn:aws:lambda:eu-west-1:111122223333:function';
const PAGE = 2;

/**
 * Lambda and CodeDeploy, as far as releases need them, with the conditions that the services themselves check: revisions
 * of an alias, versions that are there, versions that an alias names, and deployments that have ended.
 */
export class FakeReleases {
  readonly functions = new Map<string, FakeFunction>();
  readonly deployments = new Map<string, FakeDeployment>();
  /** Called before an alias is updated: another one may be at work. */
  beforeUpdate: (functionName: string) => void = () => {};

  readonly ask: AskAws = async ({ service, action, parameters = {}, request = {} }) => {
    const { method = 'GET', query = {}, body: sent = '{}' } = request;
    const { status, body } =
      service === 'codedeploy'
        ? this.#codeDeploy(action, parameters)
        : this.#lambda(method, decodeURIComponent(action), query, JSON.parse(sent));
    const errorType = '__type' in body ? String(body.__type) : undefined;
    return { status, body: status === 204 ? '' : JSON.stringify(body), errorType };
  };

  /** A function whose versions are numbered from 1, made at these times; the last one is live. */
  add(name: string, ...madeAt: readonly string[]): FakeFunction {
    const versions = new Map(madeAt.map((time, index) => [index + 1, time]));
    const added = { version: madeAt.length, weights: {}, revision: 1, tags: {}, versions };
    this.functions.set(name, added);
    return added;
  }

  #lambda(
    method: string,
    path: string,
    query: Readonly<Record<string, string>>,
    input: Readonly<Record<string, unknown>>,
  ): FakeResponse {
    const [, kind, name = ''] = /^\/[\d-]+\/(functions|tags)\/(?:arn:[^/]*:)?([^/:]+)/.exec(path) ?? [];
    const one = this.functions.get(name);
    if (one === undefined) return fault(404, 'ResourceNotFoundException');
    if (kind === 'tags') {
      if (method === 'GET') return { status: 200, body: { Tags: one.tags } };
      Object.assign(one.tags, input.Tags);
      return { status: 204, body: {} };
    }
    if (path.endsWith('/versions')) return versionsPage(one, Number(query.Marker ?? 0));
    if (!path.endsWith('/aliases/live')) return fault(404, 'ResourceNotFoundException');
    if (method === 'PUT') {
      this.beforeUpdate(name);
      const refused = updateAlias(one, input);
      if (refused !== undefined) return refused;
    }
    return {
      status: 200,
      body: {
        AliasArn: `${REGION_ARN}:${name}:live`,
        FunctionVersion: String(one.version),
        RevisionId: String(one.revision),
        RoutingConfig: { AdditionalVersionWeights: one.weights },
      },
    };
  }

  #codeDeploy(action: string, input: Readonly<Record<string, unknown>>): FakeResponse {
    const { deploymentId, includeOnlyStatuses } = input as {
      deploymentId: string;
      includeOnlyStatuses: readonly string[];
    };
    if (action === 'ListDeploymentGroups') return { status: 200, body: { deploymentGroups: ['one'] } };
    if (action === 'ListDeployments') {
      const listed = [...this.deployments].filter(([, { status }]) => includeOnlyStatuses.includes(status));
      return { status: 200, body: { deployments: listed.map(([id]) => id) } };
    }
    const deployment = this.deployments.get(deploymentId);
    if (deployment === undefined) return fault(400, 'DeploymentDoesNotExistException');
    if (action === 'StopDeployment') {
      if (deployment.status !== 'InProgress') return fault(400, 'DeploymentAlreadyCompletedException');
      deployment.status = 'Stopped';
      const one = this.functions.get(deployment.functionName);
      const before = one?.version ?? 0;
      const { functionName } = deployment;
      this.deployments.set(`${deploymentId}-back`, {
        functionName,
        status: 'InProgress',
        rollbackOf: deploymentId,
        looks: 2,
        target: before,
      });
      return { status: 200, body: { status: 'Pending' } };
    }
    this.#goOn(deployment);
    const back = this.deployments.has(`${deploymentId}-back`)
      ? { rollbackInfo: { rollbackDeploymentId: `${deploymentId}-back` } }
      : {};
    return { status: 200, body: { deploymentInfo: { deploymentId, status: deployment.status, ...back } } };
  }

  /** A way back ends after some looks, and has moved the alias then. */
  #goOn(deployment: FakeDeployment): void {
    if (deployment.rollbackOf === undefined || deployment.status !== 'InProgress') return;
    deployment.looks -= 1;
    if (deployment.looks > 0) return;
    deployment.status = 'Succeeded';
    const one = this.functions.get(deployment.functionName);
    if (one === undefined) return;
    Object.assign(one, { version: deployment.target, weights: {}, revision: one.revision + 1 });
  }
}

function versionsPage({ versions }: FakeFunction, from: number): FakeResponse {
  const all = [
    { Version: '$LATEST', LastModified: '2026-11-23T00:00:00.000+0000' },
    ...[...versions].map(([version, LastModified]) => ({ Version: String(version), LastModified })),
  ];
  const next = from + PAGE;
  return {
    status: 200,
    body: { Versions: all.slice(from, next), ...(next < all.length && { NextMarker: String(next) }) },
  };
}

/** What is wrong with an update; undefined: it is made. */
function updateAlias(one: FakeFunction, input: Readonly<Record<string, unknown>>): FakeResponse | undefined {
  const { FunctionVersion, RevisionId, RoutingConfig } = input;
  if (RevisionId !== undefined && RevisionId !== String(one.revision))
    return fault(412, 'PreconditionFailedException');
  if (!one.versions.has(Number(FunctionVersion))) return fault(404, 'ResourceNotFoundException');
  const { AdditionalVersionWeights = one.weights } = (RoutingConfig ?? {}) as {
    AdditionalVersionWeights?: Record<string, number>;
  };
  const weights = { ...AdditionalVersionWeights };
  Object.assign(one, { version: Number(FunctionVersion), weights, revision: one.revision + 1 });
  return undefined;
}

function fault(status: number, __type: string): FakeResponse {
  return { status, body: { __type, message: __type } };
}
