import { parseArgs } from 'node:util';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { COMMANDS } from './commands.ts';
import type { Arguments, Command } from './context/command.ts';
import type { GatewayTarget } from './context/open-context.ts';
import { GLOBAL_FLAGS, placeholder, synopsis, usage } from './context/usage.ts';

/** A command line, understood. */
type Invocation =
  | { readonly help: string }
  | {
      readonly command: Command;
      readonly args: Arguments;
      readonly target: GatewayTarget;
      readonly json: boolean;
    };

const DEFAULT_DATA_DIR = '.gateway';
const TARGET_FLAGS = ['stack', 'region', 'data-dir'];
const MAX_COMMAND_WORDS = 2;
/** Asks for help as `--help` does, before the words of a command. */
const HELP_WORD = 'help';
/** `-h` is `--help`. */
const HELP_LETTER = 'h';

/** `Option '--stack <value>' argument missing`; a flag with a letter is named as `-h, --help`. */
const FLAG_MISTAKE =
  /^Option '(?:-\w, )?(--[\w-]+)[^']*' (argument is ambiguous|argument missing|does not take an argument)/;

/** Reads a command line (without the program). Throws {@link InputError} if it is wrong. */
export function parseInvocation(argv: readonly string[]): Invocation {
  const { positionals: words, values: flags } = parseAnyFlags(argv);
  if (words[0] === HELP_WORD) return { help: helpOn(words.slice(1)) };
  if (flags.help === true) return { help: helpOn(words) };
  const { command } = findCommand(words);
  if (command === undefined) throw new InputError(unknownCommand(words));
  // A name may be a switch of this command and have a value with another.
  const { values, positionals } = parseFlags(argv, [...COMMANDS, command]);
  const { rest } = findCommand(positionals);
  const args = commandArguments(command, values, rest);
  return { command, args, target: targetOf(values), json: values.json === true };
}

interface ParsedFlags {
  readonly values: Arguments;
  readonly positionals: readonly string[];
}

/** Flags may stand anywhere, so they are read before the command is known: in the way that leaves a command. */
function parseAnyFlags(argv: readonly string[]): ParsedFlags {
  try {
    const parsed = parseFlags(argv, [...COMMANDS].reverse());
    if (findCommand(parsed.positionals).command !== undefined) return parsed;
  } catch {
    // The other order tells what is wrong.
  }
  return parseFlags(argv, COMMANDS);
}

/** @param commands whose flags there are; where two have one of a name, that of the later one */
function parseFlags(argv: readonly string[], commands: readonly Command[]): ParsedFlags {
  const flags = commands.flatMap((command) => Object.entries(flagsOf(command)));
  const help = { type: 'boolean', short: HELP_LETTER } as const;
  const options = { ...Object.fromEntries([...flags, ...Object.entries(GLOBAL_FLAGS)]), help };
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw new InputError(flagMistake((error as Error).message));
  }
}

/** What `parseArgs` says, in the words of this program. */
function flagMistake(message: string): string {
  const [, flag = '', mistake = ''] = FLAG_MISTAKE.exec(message) ?? [];
  if (mistake === 'argument is ambiguous') {
    return `${flag} needs a value; write a value that begins with - as ${flag}=VALUE`;
  }
  if (mistake === 'argument missing') return `${flag} needs a value`;
  if (mistake === 'does not take an argument') return `${flag} takes no value`;
  const [, unknown] = /^Unknown option '([^']*)'/.exec(message) ?? [];
  if (unknown !== undefined) return `unknown option ${unknown} (see --help)`;
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

/**
 * Help on the command that the words call, or on all that begin with the one word, or without words on all there are.
 * Throws {@link InputError} if there is no such command.
 */
function helpOn(words: readonly string[]): string {
  const { command } = findCommand(words);
  if (command !== undefined) return usage([command]);
  if (words.every((word) => word === HELP_WORD)) return usage(COMMANDS);
  const group = groupOf(words);
  if (words.length > 1 || group.length === 0) throw new InputError(unknownCommand(words));
  return usage(group);
}

/** The commands of which the first word is the group, such as those of `account`. */
function groupOf([group]: readonly string[]): Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

function unknownCommand(words: readonly string[]): string {
  if (words.length === 0) return 'no command given (see --help)';
  const group = groupOf(words).map(({ name }) => name);
  const called = words.slice(0, MAX_COMMAND_WORDS).join(' ');
  const advice = group.length > 0 ? `commands: ${group.join(', ')}` : 'see --help';
  return `unknown command ${called} (${advice})`;
}

function commandArguments(command: Command, values: Arguments, rest: readonly string[]): Arguments {
  const flags = flagsOf(command);
  const foreign = Object.keys(values).find((name) => !(name in flags) && !(name in GLOBAL_FLAGS));
  const refuse = (mistake: string) =>
    new InputError(`${command.name} ${mistake} (usage: ${synopsis(command)})`);
  if (foreign !== undefined) throw refuse(`takes no --${foreign}`);
  const open = command.positionals.filter(({ name }) => values[name] === undefined);
  if (rest.length > open.length) throw refuse('got too many arguments');
  const missing = open.slice(rest.length).find(({ optional }) => optional !== true);
  if (missing !== undefined) throw refuse(`needs ${placeholder(missing.name)}`);
  const unset = Object.entries(command.flags ?? {}).find(([name, { needed }]) => needed && !(name in values));
  if (unset !== undefined) throw refuse(`needs --${unset[0]}`);
  return { ...values, ...Object.fromEntries(rest.map((value, index) => [open[index]?.name, value])) };
}

function targetOf(values: Arguments): GatewayTarget {
  const { stack, region, local, 'data-dir': dataDir } = values;
  const empty = TARGET_FLAGS.find((flag) => values[flag] === '');
  if (empty !== undefined) throw new InputError(`--${empty} needs a value`);
  if (typeof stack !== 'string') {
    if (local !== true && dataDir === undefined)
      throw new InputError('choose a gateway: --local or --stack NAME');
    if (region !== undefined) throw new InputError('--region needs --stack');
    return { dataDir: typeof dataDir === 'string' ? dataDir : DEFAULT_DATA_DIR };
  }
  if (local === true || dataDir !== undefined) throw new InputError('either --local or --stack, not both');
  return { stack, region: typeof region === 'string' ? region : undefined };
}
