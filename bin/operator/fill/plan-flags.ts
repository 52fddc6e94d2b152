import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { type Arguments, type Flag, optionalText, switchFlag, valueFlag } from '../context/command.ts';
import { formatCount } from '../context/text-table.ts';
import type { FillOptions } from './fill-plan.ts';

/** Defaults of the stage file. */
const DEFAULT_FUNCTIONS = 4;
const DEFAULT_MAX_ACU = 8;
const MAX_FUNCTIONS = 1_000;
const MAX_ACU = 256;
const MAX_CALLS_PER_SECOND = 1_000_000;
const MAX_NODE_USD = 100_000;
const NUMBER = /^\d{1,9}(\.\d{1,6})?$/;

/** Options of `backfill --plan`. */
export const PLAN_FLAGS = {
  plan: switchFlag('sample the chain and say what the missing blocks take, before any is queued'),
  node: valueFlag('URL of a node to sample with --plan'),
  functions: valueFlag(`indexing.backfillConcurrency to plan with (default: ${DEFAULT_FUNCTIONS})`),
  'max-acu': valueFlag(`database.maxAcu to plan with (default: ${DEFAULT_MAX_ACU})`),
  'calls-per-second': valueFlag('calls a second that the node takes (default: no bound)'),
  'node-usd': valueFlag('USD for a million calls of the node (default: not known)'),
  'no-traces': switchFlag('plan without the calls within transactions'),
} as const satisfies Readonly<Record<string, Flag>>;

/** @throws {InputError} for an option that only a plan has */
export function requireNoPlanFlags(args: Arguments): void {
  const flag = Object.keys(PLAN_FLAGS).find((name) => args[name] !== undefined);
  if (flag !== undefined) throw new InputError(`--${flag} needs --plan`);
}

/** @throws {InputError} for what is no number or beyond its bounds */
export function planOptions(args: Arguments): Omit<FillOptions, 'blocks'> {
  return {
    functions: numberOf(args, 'functions', MAX_FUNCTIONS) ?? DEFAULT_FUNCTIONS,
    maxAcu: numberOf(args, 'max-acu', MAX_ACU) ?? DEFAULT_MAX_ACU,
    callsPerSecond: numberOf(args, 'calls-per-second', MAX_CALLS_PER_SECOND),
    nodeUsd: numberOf(args, 'node-usd', MAX_NODE_USD),
  };
}

function numberOf(args: Arguments, name: string, most: number): number | undefined {
  const text = optionalText(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!NUMBER.test(text) || value <= 0 || value > most)
    throw new InputError(`--${name} must be a number above 0, at most ${formatCount(most)}`);
  return value;
}
