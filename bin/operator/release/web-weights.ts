import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Parameter,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { NO_REVISION, WEIGHT_PARAMETERS } from '../../../lib/functions/web-weights.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** An update of weights alone takes about a minute. */
const UPDATED_WITHIN_MS = 15 * 60_000;
const DEFAULT_POLL_MS = 3_000;
const ALL = 100;
/** Message of CloudFormation about an update that changes nothing. */
const NOTHING_TO_DO = /no updates are to be performed/i;
const CAPABILITIES = ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'] as const;

/** How the requests of a web function are shared by the revision of the stack's template and the one before. */
export interface WebWeights {
  /** Id of the revision of the template. */
  readonly revision: string;
  /** Undefined: none is held, and the revision of the template has all. */
  readonly before: string | undefined;
  /** Percent for the revision of the template. */
  readonly percent: number;
}

/** The revisions of a web function. Each method rejects as CloudFormation fails. */
export interface WebReleases {
  read(): Promise<WebWeights>;
  /** Shares the requests, and waits until the stack says that it is done. */
  share(before: string, percent: number): Promise<void>;
}

export interface WebReleasesOptions {
  readonly stack: string;
  readonly config: ClientConfig;
  /** @default three seconds */
  readonly pollMs?: number;
}

/** The revisions of a web function by the parameters of its stack, which it is updated with and by nothing else. */
export function createWebReleases({
  stack,
  config,
  pollMs = DEFAULT_POLL_MS,
}: WebReleasesOptions): WebReleases {
  const client = new CloudFormationClient({
    ...config,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  });

  async function describe() {
    const { Stacks: [described] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    if (described === undefined) throw new Error(`there is no stack ${stack}`);
    return described;
  }

  return {
    async read() {
      const { Parameters = [], Outputs = [] } = await describe();
      const before = valueOfParameter(Parameters, WEIGHT_PARAMETERS.before);
      const held = before === NO_REVISION ? undefined : before;
      return {
        revision: Outputs.find(({ OutputKey }) => OutputKey === 'WebRevision')?.OutputValue ?? '',
        before: held,
        percent: held === undefined ? ALL : Number(valueOfParameter(Parameters, WEIGHT_PARAMETERS.weight)),
      };
    },

    async share(before, percent) {
      const changed: Readonly<Record<string, string>> = {
        [WEIGHT_PARAMETERS.before]: before,
        [WEIGHT_PARAMETERS.weight]: String(percent),
        [WEIGHT_PARAMETERS.beforeWeight]: String(ALL - percent),
      };
      const { Parameters = [] } = await describe();
      const isUnderWay = await client
        .send(
          new UpdateStackCommand({
            StackName: stack,
            UsePreviousTemplate: true,
            Capabilities: [...CAPABILITIES],
            Parameters: Parameters.map(({ ParameterKey = '' }) => {
              const ParameterValue = changed[ParameterKey];
              return ParameterValue === undefined
                ? { ParameterKey, UsePreviousValue: true }
                : { ParameterKey, ParameterValue };
            }),
          }),
        )
        .then(
          () => true,
          (error: Error) => {
            if (NOTHING_TO_DO.test(error.message)) return false;
            throw error;
          },
        );
      if (!isUnderWay) return;
      const deadline = Date.now() + UPDATED_WITHIN_MS;
      for (;;) {
        const { StackStatus = '', StackStatusReason } = await describe();
        if (StackStatus === 'UPDATE_COMPLETE') return;
        if (!/^UPDATE_(?:COMPLETE_CLEANUP_)?IN_PROGRESS$/.test(StackStatus))
          throw new Error(`the update of ${stack} failed: ${StackStatus} ${StackStatusReason ?? ''}`.trim());
        if (Date.now() >= deadline) throw new Error(`the update of ${stack} does not end`);
        await sleep(pollMs);
      }
    },
  };
}

function valueOfParameter(parameters: readonly Parameter[], name: string): string {
  return parameters.find(({ ParameterKey }) => ParameterKey === name)?.ParameterValue ?? NO_REVISION;
}
