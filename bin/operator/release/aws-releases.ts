import {
  CodeDeployClient,
  type DeploymentStatus,
  GetDeploymentCommand,
  ListDeploymentGroupsCommand,
  ListDeploymentsCommand,
  StopDeploymentCommand,
} from '@aws-sdk/client-codedeploy';
import {
  GetAliasCommand,
  LambdaClient,
  ListTagsCommand,
  ListVersionsByFunctionCommand,
  TagResourceCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type {
  LiveAlias,
  LiveFunction,
  PublishedVersion,
  ReleaseAccess,
  ReleasedFunction,
} from './way-back.ts';

const ALIAS = 'live';
/** The version that is not published yet. */
const LATEST = '$LATEST';
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Pages of a list that are read at most: two thousand versions. */
const MAX_PAGES = 40;
/** A deployment that is stopped ends within seconds, and its way back too. */
const STOPPED_WITHIN_MS = 120_000;
const DEFAULT_POLL_MS = 1_000;
const UNDER_WAY: DeploymentStatus[] = ['Created', 'Queued', 'InProgress', 'Baking', 'Ready'];
/** Tag of a function with the versions that were rolled back, and how many of them it names. */
const LEFT_TAG = 'gateway-left-versions';
const MAX_LEFT = 20;

export interface AwsReleasesOptions {
  readonly functions: readonly LiveFunction[];
  /** Application of CodeDeploy; undefined: the stage has no canary. */
  readonly application: string | undefined;
  readonly lambda: ClientConfig;
  readonly codedeploy: ClientConfig;
  /** @default a second */
  readonly pollMs?: number;
}

/** The releases of a stack, as Lambda and CodeDeploy have them. */
export function createAwsReleases(options: AwsReleasesOptions): ReleaseAccess {
  const { functions, application, pollMs = DEFAULT_POLL_MS } = options;
  const requestHandler = { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const lambda = new LambdaClient({ ...options.lambda, requestHandler });
  const codedeploy = new CodeDeployClient({ ...options.codedeploy, requestHandler });
  return {
    functions: () => Promise.all(functions.map((one) => readFunction(lambda, one))),
    deployments: async () => (application === undefined ? [] : deploymentsUnderWay(codedeploy, application)),
    async stopDeployment(deploymentId) {
      await codedeploy
        .send(new StopDeploymentCommand({ deploymentId, autoRollbackEnabled: true }))
        .catch((error: Error) => {
          // It ended meanwhile: the alias says how.
          if (error.name !== 'DeploymentAlreadyCompletedException') throw error;
        });
      await waitForEnd(codedeploy, deploymentId, pollMs);
    },
    async point({ functionName, alias }, version) {
      await lambda.send(
        new UpdateAliasCommand({
          FunctionName: functionName,
          Name: ALIAS,
          FunctionVersion: String(version),
          RoutingConfig: { AdditionalVersionWeights: {} },
          RevisionId: alias.revision,
        }),
      );
    },
    async leave({ functionName, left }, version) {
      const { AliasArn } = await lambda.send(
        new GetAliasCommand({ FunctionName: functionName, Name: ALIAS }),
      );
      const all = [...new Set([...left, version])].slice(-MAX_LEFT);
      await lambda.send(
        new TagResourceCommand({ Resource: functionArn(AliasArn), Tags: { [LEFT_TAG]: all.join(' ') } }),
      );
    },
  };
}

async function readFunction(lambda: LambdaClient, one: LiveFunction): Promise<ReleasedFunction> {
  const { functionName: FunctionName } = one;
  const alias = await lambda.send(new GetAliasCommand({ FunctionName, Name: ALIAS }));
  const { Tags = {} } = await lambda.send(new ListTagsCommand({ Resource: functionArn(alias.AliasArn) }));
  const left = Tags[LEFT_TAG]?.split(' ').map(Number) ?? [];
  return { ...one, alias: readAlias(alias), versions: await readVersions(lambda, FunctionName), left };
}

async function deploymentsUnderWay(codedeploy: CodeDeployClient, applicationName: string): Promise<string[]> {
  const groups = await codedeploy.send(new ListDeploymentGroupsCommand({ applicationName }));
  const lists = (groups.deploymentGroups ?? []).map((deploymentGroupName) =>
    codedeploy.send(
      new ListDeploymentsCommand({ applicationName, deploymentGroupName, includeOnlyStatuses: UNDER_WAY }),
    ),
  );
  return (await Promise.all(lists)).flatMap(({ deployments = [] }) => deployments);
}

/** Waits until a deployment has ended, and its way back. */
async function waitForEnd(codedeploy: CodeDeployClient, deploymentId: string, pollMs: number): Promise<void> {
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  for (;;) {
    const { deploymentInfo } = await codedeploy.send(new GetDeploymentCommand({ deploymentId }));
    const { status, rollbackInfo } = deploymentInfo ?? {};
    if (status === undefined || !UNDER_WAY.includes(status)) {
      const back = rollbackInfo?.rollbackDeploymentId;
      return back === undefined ? undefined : waitForEnd(codedeploy, back, pollMs);
    }
    if (Date.now() >= deadline) throw new Error(`deployment ${deploymentId} does not stop: it is ${status}`);
    await sleep(pollMs);
  }
}

async function readVersions(client: LambdaClient, FunctionName: string): Promise<PublishedVersion[]> {
  const versions: PublishedVersion[] = [];
  let Marker: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const read = await client.send(
      new ListVersionsByFunctionCommand({ FunctionName, ...(Marker !== undefined && { Marker }) }),
    );
    for (const { Version, LastModified } of read.Versions ?? [])
      if (Version !== LATEST)
        versions.push({ version: Number(Version), madeAt: Date.parse(LastModified ?? '') });
    Marker = read.NextMarker;
    if (Marker === undefined) return versions.toSorted((one, other) => one.version - other.version);
  }
  throw new Error(`${FunctionName} has more versions than are read`);
}

interface Alias {
  readonly FunctionVersion?: string | undefined;
  readonly RevisionId?: string | undefined;
  readonly RoutingConfig?:
    | { readonly AdditionalVersionWeights?: Record<string, number> | undefined }
    | undefined;
}

/** An alias has one second version at most. */
function readAlias({ FunctionVersion, RevisionId = '', RoutingConfig }: Alias): LiveAlias {
  const [second] = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {});
  return {
    version: Number(FunctionVersion),
    ...(second !== undefined && { second: { version: Number(second[0]), weight: second[1] } }),
    revision: RevisionId,
  };
}

function functionArn(aliasArn = ''): string {
  return aliasArn.slice(0, aliasArn.lastIndexOf(':'));
}
