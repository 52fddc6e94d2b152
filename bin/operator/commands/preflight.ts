import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import {
  type Arguments,
  neededFlag,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import type { Line } from '../stage/line.ts';
import type { StageCommand } from '../stage/outside.ts';

const EXIT_FAILED = 1;
const MAX_REQUESTS_PER_DAY = 1e12;
const SIGNS: Readonly<Record<Line['verdict'], string>> = { holds: 'ok', fails: 'NO', unknown: '??' };

export const CONFIG_FLAG = neededFlag('stage file');

/** Asks the account, before CloudFormation does, whether a stage file can be deployed. Nothing is changed. */
export const preflight: StageCommand = {
  name: 'preflight',
  summary: 'ask the account whether a stage file can be deployed; changes nothing',
  positionals: [],
  flags: {
    config: CONFIG_FLAG,
    'ask-nodes': switchFlag('ask each node for its chain and its newest block'),
    'requests-per-day': valueFlag('JSON-RPC requests a day that the price is for (default: 1000000)'),
  },
  example: 'preflight --config config/starter.json',
  async runOnFile(outside, args) {
    const facts = await outside.readFacts(requiredText(args, 'config'), requestsPerDay(args));
    const { preflightLines } = await import('../stage/preflight-lines.ts');
    const lines = await preflightLines(outside, facts, args['ask-nodes'] === true);
    const failed = lines.filter(({ verdict }) => verdict === 'fails').length;
    return {
      json: { lines },
      text: linesText(lines),
      ...(failed > 0 && { exitCode: EXIT_FAILED }),
    };
  },
};

/** A line each, with what mends it below; what fails is last, where it is read. */
export function linesText(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  const order: readonly Line['verdict'][] = ['holds', 'unknown', 'fails'];
  const sorted = order.flatMap((verdict) => lines.filter((line) => line.verdict === verdict));
  const count = (verdict: Line['verdict']) => lines.filter((line) => line.verdict === verdict).length;
  return [
    ...sorted.flatMap(({ name, verdict, text, mend }) => [
      `${SIGNS[verdict]}  ${name.padEnd(width)}  ${text}`,
      ...(mend === undefined ? [] : [`    ${''.padEnd(width)}  -> ${mend}`]),
    ]),
    '',
    `${count('holds')} hold, ${count('fails')} do not, ${count('unknown')} cannot be known from here`,
  ].join('\n');
}

function requestsPerDay(args: Arguments): number | undefined {
  const text = optionalText(args, 'requests-per-day');
  if (text === undefined) return undefined;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number >= 0 && number <= MAX_REQUESTS_PER_DAY) return number;
  throw new InputError(`--requests-per-day must be a number from 0, such as 1e6, not "${text}"`);
}
