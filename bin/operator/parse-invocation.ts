import { CommanderError, Option, Command as Parser } from 'commander';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import {
  accountCreate,
  accountCredit,
  accountCredits,
  accountDebit,
  accountList,
  accountPlan,
  accountShow,
} from './commands/account.ts';
import { accountRebuild } from './commands/account-rebuild.ts';
import { adopt } from './commands/adopt.ts';
import { audit } from './commands/audit.ts';
import { backfill } from './commands/backfill.ts';
import { billKeys, ledgerRestore, seal } from './commands/bill.ts';
import { cacheClear, exportRangeCommand } from './commands/chain.ts';
import { down } from './commands/down.ts';
import { keyCreate, keyDisable, keyEnable, keyList, keyShow, keyUpdate } from './commands/key.ts';
import { preflight } from './commands/preflight.ts';
import { priceList } from './commands/price-list.ts';
import { releaseBack } from './commands/release.ts';
import { restore } from './commands/restore.ts';
import { reverify } from './commands/reverify.ts';
import { settle, settlements } from './commands/settlement.ts';
import { up } from './commands/up.ts';
import { upstreamOff, upstreamOn, upstreamShow } from './commands/upstream.ts';
import { accountUsage } from './commands/usage.ts';
import { type Arguments, type Command, type Flag, switchFlag, valueFlag } from './context/command.ts';
import type { GatewayTarget } from './context/open-context.ts';
import type { StageCommand } from './stage/outside.ts';

/** A command on a gateway, or on a stage file. */
type AnyCommand = Command | StageCommand;

/** Every command of the operator CLI, by what people do with it. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly AnyCommand[]>> = {
  'A stage and its account, by its stage file': [preflight, up, down, adopt],
  'Accounts and what they use': [
    accountCreate,
    accountShow,
    accountList,
    accountPlan,
    accountCredit,
    accountDebit,
    accountCredits,
    accountUsage,
  ],
  Keys: [keyCreate, keyList, keyShow, keyUpdate, keyDisable, keyEnable],
  'Settlement and bills': [settle, settlements, seal, billKeys, priceList],
  'Books that are checked and restored': [audit, accountRebuild, ledgerRestore, restore],
  'Chains: their past, their cache and their nodes': [
    backfill,
    exportRangeCommand,
    reverify,
    cacheClear,
    upstreamShow,
    upstreamOff,
    upstreamOn,
  ],
  'Releases of a stage': [releaseBack],
};

/** A command line, understood. */
type Invocation =
  | { readonly help: string }
  | { readonly stageCommand: StageCommand; readonly args: Arguments; readonly json: boolean }
  | {
      readonly command: Command;
      readonly args: Arguments;
      readonly target: GatewayTarget;
      readonly json: boolean;
    };

const PROGRAM = 'npm run --silent operator --';
const HELP_COLUMNS = 80;
const LEAST_WRAPPED_COLUMNS = 24;
/** Asks for help as `--help` does, before the words of a command. */
const HELP_WORD = 'help';
const HELP_FLAGS = ['--help', '-h'];
const MAX_COMMAND_WORDS = 2;
const DEFAULT_DATA_DIR = '.gateway';
const TARGET_FLAGS = ['stack', 'region', 'data-dir'];
/** Flags that every command takes. */
const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  local: switchFlag('use the local run'),
  'data-dir': valueFlag(`data folder of the local run (default: ${DEFAULT_DATA_DIR})`),
  stack: valueFlag('use this stack in AWS, with the default credentials'),
  region: valueFlag('region of the stack (default: from the AWS configuration)'),
  json: switchFlag('print JSON'),
};
const EXIT_CODES = 'Exit code: 0 success; 1 failure, or the books do not balance;\n2 invalid command line.';

const COMMANDS: readonly AnyCommand[] = Object.values(COMMAND_GROUPS).flat();

/** Reads a command line (without the program): a command, what it takes, flags. Throws {@link InputError} if it is wrong. */
export function parseInvocation(line: readonly string[]): Invocation {
  const argv = line[0] === HELP_WORD ? [...line.slice(1), ...HELP_FLAGS.slice(0, 1)] : line;
  const { words, command } = commandOf(argv);
  if (command === undefined) {
    if (argv.some((one) => HELP_FLAGS.includes(one))) return { help: overview(words) };
    throw unknownLine(argv);
  }
  const parser = parserOf(command);
  const help = readArguments(parser, command, argv.slice(command.name.split(' ').length));
  if (help !== undefined) return { help };
  const values = valuesOf(parser);
  const args = withPositionals(command, values, parser.args);
  const json = values.json === true;
  if ('runOnFile' in command) return { stageCommand: command, args, json };
  return { command, args, target: targetOf(values), json };
}

/** The words that a command line begins with, and the command that they name. */
function commandOf(argv: readonly string[]) {
  const firstFlag = argv.findIndex((one) => one.startsWith('-'));
  const words = argv.slice(0, firstFlag === -1 ? MAX_COMMAND_WORDS : Math.min(firstFlag, MAX_COMMAND_WORDS));
  const named = words.map((_, index) => words.slice(0, words.length - index).join(' '));
  return { words, command: named.flatMap((name) => COMMANDS.find((one) => one.name === name) ?? [])[0] };
}

/** A stage file says itself where its gateway is. */
function globalFlagsOf(command: AnyCommand): Readonly<Record<string, Flag>> {
  return 'runOnFile' in command ? { json: GLOBAL_FLAGS.json as Flag } : GLOBAL_FLAGS;
}

function parserOf(command: AnyCommand): Parser {
  const { name, summary, positionals, flags = {}, example } = command;
  const parser = new Parser(name)
    .description(summary)
    .usage(`${synopsis(command).slice(name.length + 1)} [options]`.trim())
    .allowExcessArguments()
    .helpOption(HELP_FLAGS.join(', '), 'print this help');
  for (const positional of positionals) {
    parser.argument(`[${written(positional)}]`, positional.summary);
  }
  for (const [flag, one] of Object.entries(flags)) parser.addOption(optionOf(flag, one));
  for (const [flag, one] of Object.entries(globalFlagsOf(command)))
    parser.addOption(optionOf(flag, one).helpGroup('The gateway, and the form of what is printed:'));
  const words = 'runOnFile' in command ? example : `${example} --local`;
  const call = `  ${PROGRAM} ${words}`;
  const line = call.length <= HELP_COLUMNS ? call : `  ${PROGRAM} \\\n    ${words}`;
  return parser.addHelpText('after', `\nExample:\n${line}`);
}

function optionOf(name: string, { type, needed, summary }: Flag): Option {
  const words = type === 'string' ? `--${name} <${placeholder(name)}>` : `--${name}`;
  return new Option(words, needed ? `${summary} (required)` : summary);
}

/** Reads the arguments of a command; the help, if they ask for it. */
function readArguments(parser: Parser, command: AnyCommand, args: readonly string[]): string | undefined {
  const flags = { ...command.flags, ...globalFlagsOf(command) };
  const ambiguous = args.find(
    (one, place) => flags[one.slice(2)]?.type === 'string' && /^-./.test(args[place + 1] ?? ''),
  );
  if (ambiguous?.startsWith('--'))
    throw new InputError(
      `${ambiguous} needs a value; write a value that begins with - as ${ambiguous}=VALUE`,
    );
  try {
    return printedBy(parser, () => parser.parse(args, { from: 'user' })) || undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw refused(command, `: ${error.message.replace('error: ', '')}`);
  }
}

/** What a parser prints of itself: its help, or nothing. */
function printedBy(parser: Parser, work: () => unknown): string {
  let printed = '';
  parser
    .configureHelp({ ...parser.configureHelp(), minWidthToWrap: LEAST_WRAPPED_COLUMNS })
    .configureOutput({
      writeOut: (text) => {
        printed += text;
      },
      writeErr: () => undefined,
      getOutHelpWidth: () => HELP_COLUMNS,
    })
    .exitOverride();
  try {
    work();
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return printed.trimEnd();
}

/** The values by the names of their flags: commander keeps them by names of its own, and a `--no-` one as its opposite. */
function valuesOf(parser: Parser): Arguments {
  const values = parser.options.flatMap((option) => {
    const value = parser.getOptionValue(option.attributeName());
    const isUnset = value === undefined || (option.negate && value === true);
    return isUnset ? [] : [[option.long?.slice(2) ?? '', option.negate ? true : value] as const];
  });
  return Object.fromEntries(values);
}

/** Adds the arguments that stand at their place. */
function withPositionals(command: AnyCommand, values: Arguments, rest: readonly string[]): Arguments {
  const { positionals } = command;
  if (rest.length > positionals.length) throw refused(command, ' got too many arguments');
  const missing = positionals.slice(rest.length).find(({ optional }) => optional !== true);
  if (missing !== undefined) throw refused(command, ` needs ${placeholder(missing.name)}`);
  const unset = Object.entries(command.flags ?? {}).find(([name, { needed }]) => needed && !(name in values));
  if (unset !== undefined) throw refused(command, ` needs --${unset[0]}`);
  return { ...values, ...Object.fromEntries(rest.map((value, index) => [positionals[index]?.name, value])) };
}

function refused(command: AnyCommand, mistake: string): InputError {
  return new InputError(`${command.name}${mistake} (usage: ${synopsis(command)})`);
}

/** How a command is called, without what it can do without. */
function synopsis({ name, positionals, flags = {} }: AnyCommand): string {
  const needed = Object.keys(flags).filter((flag) => flags[flag]?.needed);
  return [name, ...positionals.map(written), ...needed.map((flag) => `--${flag} ${placeholder(flag)}`)].join(
    ' ',
  );
}

function written({ name, optional }: Command['positionals'][number]): string {
  return optional ? `[${placeholder(name)}]` : placeholder(name);
}

/** How help and messages write the value of an argument. */
function placeholder(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/**
 * Help on all commands that begin with a word, or without words on all there are. Throws {@link InputError} if there is
 * no such command.
 */
function overview(words: readonly string[]): string {
  const shown = words.length === 0 ? COMMANDS : beginningWith(words);
  if (shown.length === 0 || words.length > 1) throw unknownCommand(words);
  const program = new Parser(PROGRAM)
    .usage('COMMAND --local | --stack NAME [--json]')
    .helpOption(HELP_FLAGS.join(', '), 'print this help, or that of one command')
    .helpCommand(false)
    .configureHelp({
      subcommandTerm: (one) => [one.name(), ...one.registeredArguments.map((each) => each.name())].join(' '),
    })
    .addHelpText('after', `\nCOMMAND --help has its flags and an example.\n${EXIT_CODES}`);
  for (const [flag, one] of Object.entries(GLOBAL_FLAGS)) program.addOption(optionOf(flag, one));
  for (const [group, commands] of Object.entries(COMMAND_GROUPS))
    for (const command of commands.filter((one) => shown.includes(one)))
      program.addCommand(parserOf(command).helpGroup(`${group}:`));
  return printedBy(program, () => program.outputHelp());
}

/** The commands of which the first word is that of these, such as those of `account`. */
function beginningWith([word]: readonly string[]): AnyCommand[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

/** What is wrong with a line that begins with no command: perhaps only the place of its flags. */
function unknownLine(argv: readonly string[]): InputError {
  const known = [GLOBAL_FLAGS, ...COMMANDS.map(({ flags = {} }) => flags)];
  const takesValue = (one = '') => known.some((flags) => flags[one.slice(2)]?.type === 'string');
  const isFlag = argv.map((one, place) => one.startsWith('-') || takesValue(argv[place - 1]));
  const inOrder = [...argv.filter((_, place) => !isFlag[place]), ...argv.filter((_, place) => isFlag[place])];
  const { words, command } = commandOf(inOrder);
  if (command === undefined) return unknownCommand(words);
  return new InputError(`the words of a command come before its flags: ${inOrder.join(' ')}`);
}

function unknownCommand(words: readonly string[]): InputError {
  if (words.length === 0) return new InputError('name a command (see --help)');
  const group = beginningWith(words).map(({ name }) => name);
  const advice = group.length > 0 ? `commands: ${group.join(', ')}` : 'see --help';
  return new InputError(`unknown command ${words.slice(0, MAX_COMMAND_WORDS).join(' ')} (${advice})`);
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
