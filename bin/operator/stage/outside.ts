import type { AwsClientOptions } from '../../../lambdas/shared/aws/client-settings.ts';
import type { Arguments, Flag, Outcome } from '../context/command.ts';
import { type AskAws, connectAws } from './ask-aws.ts';
import { type AskNode, askNode } from './node-lines.ts';
import { readStageFacts, type StageFacts } from './stage-facts.ts';

/** The world of a command that works on a stage file: an account of AWS, and nodes. */
export interface Outside {
  readonly ask: AskAws;
  readonly askNode: AskNode;
  readFacts(file: string, requestsPerDay?: number): Promise<StageFacts>;
  /** Region of the profile; undefined: it names none. */
  region(): Promise<string | undefined>;
}

/** A command that works on a stage file, in place of a gateway that is there. */
export interface StageCommand {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly [];
  readonly flags: Readonly<Record<string, Flag>>;
  readonly example: string;
  /** Rejects with `InputError` for wrong input. */
  runOnFile(outside: Outside, args: Arguments): Promise<Outcome>;
}

/** Opens the account of the credentials of this machine; nothing is asked yet. */
export function openOutside(config?: AwsClientOptions['config']): Outside {
  return {
    ask: connectAws(config),
    askNode,
    readFacts: readStageFacts,
    async region() {
      if (process.env.AWS_REGION !== undefined) return process.env.AWS_REGION;
      const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
      return new DynamoDBClient({}).config.region().catch(() => undefined);
    },
  };
}
