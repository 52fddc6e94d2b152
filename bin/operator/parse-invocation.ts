import { parseArgs } from 'node:util';
import { InputError } from '../../lambdas/access/input-error.ts';
import type { Arguments, Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { GLOBAL_FLAGS, placeholder, usage } from './usage.ts';

/** Where the gateway is that a command works on. */
export type Place =
  | { readonly dataDir: string }
  | { readonly stack: string; readonly region: string | undefined };

/** A command line, understood. */
export type Invocation =
  | { readonly help: string }
  | { readonly command: Command; readonly args: Arguments; readonly place: Place; readonly json: boolean };

const DEFAULT_DATA_DIR = '.gateway';
const MAX_COMMAND_WORDS = 2;

/** Reads a command line (without the program). Throws {@link InputError} if it is wrong. */
export function parseInvocation(argv: readonly string[]): Invocation {
  const { values, positionals } = parseFlags(argv);
  const { command, rest } = findCommand(positionals);
  if (values.help === true) return { help: usage(command === undefined ? COMMANDS : [command]) };
  if (command === undefined) throw new InputError(unknownCommand(positionals));
  const args = commandArguments(command, values, rest);
  return { command, args, place: placeOf(values), json: values.json === true };
}

/** Flags may stand anywhere, so they are read before the command is known. */
function parseFlags(argv: readonly string[]): { values: Arguments; positionals: string[] } {
  const flags = COMMANDS.flatMap((command) => Object.entries(flagsOf(command)));
  const options = Object.fromEntries([...flags, ...Object.entries(GLOBAL_FLAGS)]);
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw new InputError(flagMistake((error as Error).message));
  }
}

/** What `parseArgs` says, in one sentence. */
function flagMistake(message: string): string {
  const [, flag] = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message) ?? [];
  if (flag !== undefined) return `${flag} needs a value; one that begins with - is given as ${flag}=VALUE`;
  const [sentence = ''] = message.split(/\. |\n/);
  return sentence;
}

/** The flags of a command: its own, and one for each of its positional arguments. */
function flagsOf({ flags = {}, positionals }: Command): Record<string, { type: 'string' | 'boolean' }> {
  const named = positionals.map(({ name }) => [name, { type: 'string' }] as const);
  const own = Object.entries(flags).map(([name, { type }]) => [name, { type }] as const);
  return Object.fromEntries([...named, ...own]);
}

function findCommand(words: readonly string[]): { command: Command | undefined; rest: readonly string[] } {
  for (let count = MAX_COMMAND_WORDS; count > 0; count -= 1) {
    const command = COMMANDS.find(({ name }) => name === words.slice(0, count).join(' '));
    if (command !== undefined) return { command, rest: words.slice(count) };
  }
  return { command: undefined, rest: words };
}

function unknownCommand(words: readonly string[]): string {
  if (words.length === 0) return 'a command is missing (see --help)';
  return `there is no command ${words.slice(0, MAX_COMMAND_WORDS).join(' ')} (see --help)`;
}

function commandArguments(command: Command, values: Arguments, rest: readonly string[]): Arguments {
  const flags = flagsOf(command);
  const foreign = Object.keys(values).find((name) => !(name in flags) && !(name in GLOBAL_FLAGS));
  if (foreign !== undefined) throw new InputError(`${command.name} takes no --${foreign}`);
  const open = command.positionals.filter(({ name }) => values[name] === undefined);
  if (rest.length > open.length) throw new InputError(`${command.name} got too many arguments`);
  const missing = open.slice(rest.length).find(({ optional }) => optional !== true);
  if (missing !== undefined) throw new InputError(`${command.name} needs ${placeholder(missing.name)}`);
  const unset = Object.entries(command.flags ?? {}).find(([name, { needed }]) => needed && !(name in values));
  if (unset !== undefined) throw new InputError(`${command.name} needs --${unset[0]}`);
  return { ...values, ...Object.fromEntries(rest.map((value, index) => [open[index]?.name, value])) };
}

function placeOf(values: Arguments): Place {
  const { stack, region, local, 'data-dir': dataDir } = values;
  if (typeof stack !== 'string') {
    if (local !== true && dataDir === undefined) throw new InputError('where? --local or --stack NAME');
    if (region !== undefined) throw new InputError('--region goes with --stack');
    return { dataDir: typeof dataDir === 'string' ? dataDir : DEFAULT_DATA_DIR };
  }
  if (local === true || dataDir !== undefined) throw new InputError('either --local or --stack, not both');
  return { stack, region: typeof region === 'string' ? region : undefined };
}
