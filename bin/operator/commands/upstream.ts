import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { MAX_LAG_BLOCKS } from '../../../lambdas/shared/upstream/head/head-claim.ts';
import { HOLD_RULES } from '../../../lambdas/shared/upstream/health/holds.ts';
import {
  counts,
  lastSaidAt,
  type NodeClaim,
  readClaims,
  valid,
} from '../../../lambdas/shared/upstream/sharing/node-claims.ts';
import type { SharedText } from '../../../lambdas/shared/upstream/sharing/shared-item.ts';
import { nodesItem } from '../../../lambdas/shared/upstream/sharing/shared-nodes.ts';
import {
  type Hold,
  readHolds,
  readNames,
  readReports,
  type SharedReport,
  writeReports,
} from '../../../lambdas/shared/upstream/sharing/shared-reports.ts';
import { headsItem } from '../../../lambdas/shared/upstream/sharing/shared-view.ts';
import {
  type Arguments,
  CHAIN,
  type Command,
  type Context,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { renderRecord, renderTable } from '../context/text-table.ts';

/** For how long an upstream is held unless it is said otherwise, and at the most, in milliseconds. */
const { firstMs: DEFAULT_HOLD_MS, mostMs: MAX_HOLD_MS } = HOLD_RULES.by_hand;
const DURATION = /^([1-9]\d{0,3})(m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000 };
/** Instances write the item about once a second: a command that finds it changed reads it again. */
const MAX_TRIES = 8;
const MS_PER_SECOND = 1_000;
const MEASURED_BY =
  'latencies and learnt sizes are those of the process that shared them last; others can have measured, and learnt, other ones';

const UPSTREAM = { name: 'upstream', summary: 'name of the upstream in the stage file' } as const;

/** What is shared of an upstream. */
interface SeenUpstream {
  readonly name: string;
  readonly heldUntil: number | undefined;
  /** Absent: it has reported nothing that is believed. */
  readonly report: SharedReport | undefined;
  readonly claims: readonly NodeClaim[];
}

/** What is shared of a chain's upstreams, and the item that the holds are in. */
interface SeenChain {
  readonly item: SharedText;
  readonly upstreams: readonly SeenUpstream[];
}

export const upstreamOff: Command = {
  name: 'upstream off',
  summary: 'take an upstream out of use, in all instances within a second of their next request',
  positionals: [CHAIN, UPSTREAM],
  flags: {
    for: valueFlag('how long: minutes or hours, at most 48 h (default: 24h)'),
    force: switchFlag('also the last upstream that can be used, or one that no process knows'),
  },
  example: 'upstream off base backup --for 2h',
  async run(context, args) {
    const until = context.clock.now() + durationOf(args);
    return setHold(context, args, until, (seen, name) => {
      if (args.force === true) return;
      const known = seen.upstreams.map((one) => one.name);
      if (!known.includes(name))
        throw new InputError(`no instance has an upstream ${name} (known: ${known.join(', ')}); see --force`);
      if (!seen.upstreams.some((one) => one.name !== name && isUsable(one)))
        throw new InputError(
          `no other upstream of the chain can be used: without ${name} calls fail; see --force`,
        );
    });
  },
};

export const upstreamOn: Command = {
  name: 'upstream on',
  summary: 'use an upstream again before its time',
  positionals: [CHAIN, UPSTREAM],
  example: 'upstream on base backup',
  run: (context, args) =>
    setHold(context, args, undefined, ({ upstreams }, name) => {
      if (upstreams.every((one) => one.name !== name || one.heldUntil === undefined))
        throw new InputError(`upstream ${name} is not held`);
    }),
};

export const upstreamShow: Command = {
  name: 'upstream show',
  summary: 'list the upstreams of a chain: where they are, and why one gets no calls',
  positionals: [CHAIN, { ...UPSTREAM, optional: true }],
  example: 'upstream show base',
  async run(context, args) {
    const { upstreams } = await look(context, requiredText(args, 'chain'));
    const name = optionalText(args, 'upstream');
    const shown = upstreams.filter((one) => name === undefined || one.name === name);
    if (shown.length === 0) throw new InputError(`no instance has an upstream ${name}`);
    const now = context.clock.now();
    const table = renderTable(
      ['upstream', 'block', 'behind', 'asked', 'latency', 'logs', 'batch', 'holds'],
      shown.map(({ name: of, report, ...one }) => [
        of,
        report === undefined ? '' : String(report.number),
        report === undefined ? '' : String(report.lag),
        report === undefined ? 'never believed' : `${Math.round(report.ageMs / MS_PER_SECOND)} s ago`,
        report?.latencyMs === undefined ? '' : `${report.latencyMs} ms`,
        String(report?.maxRange ?? ''),
        String(report?.maxBatch ?? ''),
        holdsOf({ name: of, report, ...one }, now).join('; '),
      ]),
    );
    return {
      json: { upstreams: shown.map(jsonOf), note: MEASURED_BY },
      text: `${table}\nNote: ${MEASURED_BY}.`,
    };
  },
};

function jsonOf({ name, heldUntil, report, claims }: SeenUpstream) {
  return {
    upstream: name,
    off_until: heldUntil === undefined ? null : new Date(heldUntil).toISOString(),
    block: report === undefined ? null : Number(report.number),
    blocks_behind: report === undefined ? null : Number(report.lag),
    syncing: report?.syncing ?? null,
    asked_seconds_ago: report === undefined ? null : Math.round(report.ageMs / MS_PER_SECOND),
    latency_ms: report?.latencyMs ?? null,
    max_logs_blocks: report?.maxRange ?? null,
    max_batch_calls: report?.maxBatch ?? null,
    claims: claims.map((claim) => ({
      kind: claim.kind,
      ...(claim.of !== '' && { method: claim.of }),
      processes: claim.witnesses.length,
      believed: counts(claim),
      last_at: new Date(lastSaidAt(claim)).toISOString(),
    })),
  };
}

/** Why an upstream gets no calls, or not all, and by whose word. */
function holdsOf({ heldUntil, report, claims }: SeenUpstream, now: number): readonly string[] {
  return [
    ...(heldUntil === undefined ? [] : [`off by hand until ${new Date(heldUntil).toISOString()}`]),
    ...(report?.syncing === true ? ['syncs'] : []),
    ...claims.flatMap((claim) => {
      const { kind, of, witnesses } = claim;
      const what = kind === 'out' ? 'does not answer' : `lacks ${of}${kind === 'plan' ? ' by its plan' : ''}`;
      const ageS = Math.round((now - lastSaidAt(claim)) / MS_PER_SECOND);
      return [`${what} (${witnesses.length} of 2 processes, ${ageS} s ago)`];
    }),
  ];
}

/** Whether an upstream can answer for the newest block, as far as is shared. */
function isUsable({ heldUntil, report, claims }: SeenUpstream): boolean {
  if (heldUntil !== undefined || report === undefined || report.syncing || report.lag > MAX_LAG_BLOCKS)
    return false;
  return !claims.some((claim) => claim.kind === 'out' && counts(claim));
}

/** What is shared of the upstreams of a chain. @throws InputError if it is no chain, or no instance has shared anything */
async function look({ cache, clock }: Context, chain: string): Promise<SeenChain> {
  if (!cache.chains.includes(chain)) throw new InputError(`unknown chain ${chain}`);
  const [item, nodes] = await Promise.all([
    cache.texts.read(headsItem(chain), { isNow: true }),
    cache.texts.read(nodesItem(chain), { isNow: true }),
  ]);
  if (item === undefined)
    throw new InputError(`no instance has asked a node of ${chain} lately: send it a call first`);
  const now = clock.now();
  const holds = readHolds(item.text, now);
  const reports = reportsOf(item, now);
  const claims = valid(readClaims(nodes?.text ?? ''), now);
  return {
    item,
    upstreams: readNames(item.text).map((name) => ({
      name,
      heldUntil: holds.find((hold) => hold.name === name)?.until,
      report: reports.find((report) => report.name === name),
      claims: claims.filter(({ upstream }) => upstream === name),
    })),
  };
}

/** Reports with the age that they have by now. */
function reportsOf({ text, toldAt }: SharedText, now: number): readonly SharedReport[] {
  return readReports(text).map((one) => ({ ...one, ageMs: one.ageMs + Math.max(0, now - toldAt) }));
}

/** Sets the hold of an upstream, or ends it, in the item that instances write too. */
async function setHold(
  context: Context,
  args: Arguments,
  until: number | undefined,
  check: (seen: SeenChain, name: string) => void,
) {
  const chain = requiredText(args, 'chain');
  const name = requiredText(args, 'upstream');
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const seen = await look(context, chain);
    check(seen, name);
    if (!(await writeHold(context, chain, seen.item, { name, until }))) continue;
    const json = {
      chain,
      upstream: name,
      off_until: until === undefined ? null : new Date(until).toISOString(),
    };
    return { json, text: renderRecord({ chain, upstream: name, off_until: json.off_until ?? '-' }) };
  }
  throw new Error(`the heads of ${chain} were written by others ${MAX_TRIES} times: try again`);
}

function writeHold(
  { cache, clock }: Context,
  chain: string,
  item: SharedText,
  { name, until }: { readonly name: string; readonly until: number | undefined },
): Promise<boolean> {
  const now = Math.round(clock.now());
  const reports = reportsOf(item, now);
  const others = readHolds(item.text, now).filter((hold) => hold.name !== name);
  const holds: readonly Hold[] =
    until === undefined ? others : [...others, { name, until: Math.round(until) }];
  const unheard = readNames(item.text).filter((one) => reports.every((report) => report.name !== one));
  const text = writeReports(reports, { unheard, holds });
  return cache.texts.write(headsItem(chain), { sequence: item.sequence + 1, toldAt: now, text }, item);
}

/** How long an upstream is held, in milliseconds. */
function durationOf(args: Arguments): number {
  const text = optionalText(args, 'for');
  if (text === undefined) return DEFAULT_HOLD_MS;
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(ms <= MAX_HOLD_MS))
    throw new InputError('--for must be minutes or hours, such as 90m or 24h, at most 48h');
  return ms;
}
