import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why a command of the runbook cannot run on a local stage, by how it begins. Add one only if there is no way to run it. */
export const ONLY_ON_AWS: Readonly<Record<string, string>> = {
  'aws sqs ':
    'the AWS CLI on queues of an account; test/monitoring holds the names of the queues to the stack',
  'aws rds-data ': 'the AWS CLI on the cluster of an account; test/indexer covers what becomes of the gaps',
  'aws lambda ': 'the AWS CLI on the functions of an account',
  'aws cloudwatch ': 'the AWS CLI on the alarms of an account',
  'aws logs ': 'the AWS CLI on the logs of an account',
  'aws service-quotas ': 'the AWS CLI on the quotas of an account',
  'aws rds ': 'the AWS CLI on the cluster of an account',
  'aws backup ': 'the AWS CLI on the backups of an account',
  'admin ': 'a function of the page that calls aws rds-data',
  'migrate ':
    'calls Lambda by the AWS CLI; test/database/command.system.test.ts covers the commands themselves',
  'operator release ': 'a local run begins with its template, and so has one version of each function',
  'operator restore ': 'needs tables that AWS has restored; test/docs/restore.test.ts runs it on two stores',
};

/** The text of a code block for a shell. */
const BLOCK = /```sh\n([^`]*)```/g;
/** Definitions of variables and functions, up to the line that ends them. */
const DEFINITION = /^(?:[A-Z_]+=|[a-z]+\(\) \{)/;

/** The blocks of the runbook for a shell, as they are written. */
export function runbookBlocks(): string[] {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'runbook.md'), 'utf8');
  return [...page.matchAll(BLOCK)].map(([, block = '']) => block);
}

/** The commands of the runbook, each once, in its order, without comments: a command can have several lines. */
export function runbookCommands(): string[] {
  const commands = runbookBlocks().flatMap((block) => {
    const lines = block.replace(/\\\n\s*/g, '').replace(/ +#.*$/gm, '');
    return withoutDefinitions(quotedTogether(lines.split('\n')));
  });
  return [...new Set(commands)];
}

/** Joins the lines of a text in quotation marks. */
function quotedTogether(lines: readonly string[]): string[] {
  const whole: string[] = [];
  let open = '';
  for (const line of lines) {
    open = open === '' ? line : `${open} ${line.trim()}`;
    if ((open.match(/"/g)?.length ?? 0) % 2 === 1) continue;
    whole.push(open);
    open = '';
  }
  return [...whole, open].filter((line) => line.trim() !== '');
}

function withoutDefinitions(lines: readonly string[]): string[] {
  let isInside = false;
  return lines.filter((line) => {
    const begins = !isInside && DEFINITION.test(line);
    const isDefinition = isInside || begins;
    if (begins) isInside = /\(\) \{/.test(line) && !/\}$/.test(line);
    else if (isInside && line === '}') isInside = false;
    return !isDefinition;
  });
}

/** Whether a command stands on the list of those that only an account can run. */
export function isOnlyOnAws(command: string): boolean {
  return Object.keys(ONLY_ON_AWS).some((beginning) => command.startsWith(beginning));
}
