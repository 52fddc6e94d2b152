import type { Command, Flag } from './command.ts';
import { renderTable } from './text-table.ts';

/** Flags that every command takes. */
export const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  json: { type: 'boolean', summary: 'print JSON' },
  local: { type: 'boolean', summary: 'use the local run' },
  'data-dir': { type: 'string', summary: 'data folder of the local run (default: .gateway)' },
  stack: { type: 'string', summary: 'use this stack in AWS, with the default credentials' },
  region: { type: 'string', summary: 'region of the stack (default: from the AWS configuration)' },
  help: { type: 'boolean', summary: 'print this help, or that of one command' },
};

const EXIT_CODES = 'Exit code: 0 success; 1 failure, or the books do not balance; 2 invalid command line.';

/** The part of `--help` for some commands. */
export function usage(commands: readonly Command[]): string {
  const calls = commands.map((command) => [`  ${synopsis(command)}`, command.summary]);
  const flags = commands.flatMap(({ name, flags = {} }) =>
    flagRows(flags).map((row) => [...row, commands.length === 1 ? '' : `(${name})`]),
  );
  return [
    'npm run --silent operator -- COMMAND --local | --stack NAME [--json]',
    ...withoutHeading(calls),
    '',
    ...withoutHeading([...flags, ...flagRows(GLOBAL_FLAGS).map((row) => [...row, ''])]),
    '',
    EXIT_CODES,
  ].join('\n');
}

/** How a command is called. */
export function synopsis({ name, positionals, flags = {} }: Command): string {
  const values = positionals.map((positional) =>
    positional.optional ? `[${placeholder(positional.name)}]` : placeholder(positional.name),
  );
  const options = Object.entries(flags).map(([flag, { type, needed }]) =>
    needed ? flagWords(flag, type) : `[${flagWords(flag, type)}]`,
  );
  return [name, ...values, ...options].join(' ');
}

function flagRows(flags: Readonly<Record<string, Flag>>): string[][] {
  return Object.entries(flags).map(([flag, { type, summary }]) => [`  ${flagWords(flag, type)}`, summary]);
}

function flagWords(flag: string, type: Flag['type']): string {
  return type === 'string' ? `--${flag} ${placeholder(flag)}` : `--${flag}`;
}

/** How usage and messages write the value of an argument. */
export function placeholder(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

function withoutHeading(rows: readonly (readonly string[])[]): string[] {
  return renderTable(
    (rows[0] ?? []).map(() => ''),
    rows,
  )
    .split('\n')
    .slice(1);
}
