import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METHOD_CLASSES, type MethodClass } from '../../lambdas/shared/methods/method-table.ts';
import { judgeAlarm } from '../../local/dashboard/judge-alarm.ts';
import { MetricStore } from '../../local/dashboard/metric-store.ts';
import { type AlarmDefinition, readAlarms } from '../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { variedStage } from '../lib/varied-stages.ts';
import { result } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { openReleases, type PrintedRequests, type Releases } from './printed-lines.ts';
import type { Alteration } from './release-stage.ts';

/** What `createAttributes` calls the version of the template. */
const NEW = '1';
const OLD = '0';
const START = 1_800_000_000_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The release begins once the old version has served for a while. */
const BEFORE_MINUTES = 10;
/** As long as CodeDeploy looks. */
const CANARY_MINUTES = 15;
const CANARY_SHARE = 0.1;
/** As the default month of `npm run cost`. */
const USUAL_RATE = 38;

const DEFECTS = {
  InternalErrors: {
    file: 'handle-request.ts',
    text: 'parseRequest(request.body',
    instead: 'parseRequest(undefined as never',
  },
  NotFound: {
    file: 'index.ts',
    text: 'if (handled === undefined) return notFound(requestId);',
    instead: 'if (handled !== undefined) return notFound(requestId);',
  },
  ChargesLess: {
    file: 'handle-request.ts',
    text: 'billedCu > 0 ? meter.charge(request.holder, billedCu, usage, hourly?.hour) : undefined',
    instead: 'undefined',
  },
  BillsDisagree: {
    file: 'handle-request.ts',
    text: "headers['X-CU-Billed'] = String(billedCu);",
    instead: "headers['X-CU-Billed'] = String(billedCu + 1);",
  },
  Slow: {
    file: 'handle-request.ts',
    text: 'const parsed = parseRequest(request.body',
    instead:
      'await new Promise((resolve) => setTimeout(resolve, 1_500)); const parsed = parseRequest(request.body',
  },
  OwnTime: {
    file: 'handle-request.ts',
    text: 'const parsed = parseRequest(request.body',
    instead:
      'await new Promise((resolve) => setTimeout(resolve, 200)); const parsed = parseRequest(request.body',
  },
} as const satisfies Record<string, Alteration>;
type Gate = keyof typeof DEFECTS;
const GATES = Object.keys(DEFECTS) as Gate[];
/** What is slow before it asks a node is slow itself. A release that charges for what it does not send, or never charges, contradicts each bill as well. */
const ALSO_ON: Partial<Record<Gate, Record<string, number>>> = {
  NotFound: { BillsDisagree: 1 },
  ChargesLess: { BillsDisagree: 1 },
  Slow: { OwnTime: 1 },
};

const ofMost: readonly MethodClass[] = ['read', 'execution', 'logs'];

let node: ScriptedNode;
let releases: Releases;
let alarms: readonly AlarmDefinition[];
let old: PrintedRequests;
let good: PrintedRequests;
const bad = {} as Record<Gate, PrintedRequests>;

beforeAll(async () => {
  node = await startScriptedNode(result('"0x7a69"'));
  const template = loadTemplate(variedStage('least').folder);
  const resolver = createResolver(template, {
    parameters: Object.fromEntries(Object.keys(template.parameters).map((name) => [name, node.url])),
    attribute: createAttributes(template, 'http://127.0.0.1:1'),
  });
  // A part of another alarm sends no notification itself.
  alarms = readAlarms(template, resolver).filter(({ tells }) => tells);
  releases = await openReleases(template, resolver);
  old = await releases.print(OLD);
  good = old.map((request) =>
    request.map((one) =>
      one.dimensions.Version === undefined
        ? one
        : { ...one, dimensions: { ...one.dimensions, Version: NEW } },
    ),
  );
  for (const gate of GATES) bad[gate] = await releases.print(NEW, DEFECTS[gate]);
}, 240_000);

afterAll(async () => {
  await releases?.close();
  await node?.close();
});

const gateOf = ({ description }: AlarmDefinition) =>
  /\] rpc-(\w+): .*#releasestopped$/.exec(description)?.[1];
/** The balances of wide accounts are refreshed by a function of its own, which does not run here. */
const pageOf = ({ description }: AlarmDefinition) =>
  /^\[page\] (?:rpc: )?.*#(?!accountbalancesold)(\w+)$/.exec(description)?.[1];

/**
 * Minutes after the begin of a release at whose end alarms are on for the first time, by their names: the lines that both
 * versions have printed are printed again at a rate.
 */
function firstOn(
  names: (alarm: AlarmDefinition) => string | undefined,
  printed: PrintedRequests,
  { rate = USUAL_RATE, share = CANARY_SHARE, minutes = CANARY_MINUTES } = {},
): Record<string, number> {
  let nowMs = START;
  const store = new MetricStore({ now: () => nowMs });
  const watched = alarms.flatMap((alarm) => names(alarm) ?? []).length;
  expect(watched).toBeGreaterThan(0);
  const beginMs = START + BEFORE_MINUTES * MINUTE_MS;
  const on: Record<string, number> = {};
  let count = 0;
  for (let second = 0; second < (BEFORE_MINUTES + minutes) * 60; second += 1) {
    nowMs = START + second * SECOND_MS;
    for (; count < (second + 1) * rate; count += 1) {
      const isNew = nowMs >= beginMs && count % 10 < share * 10;
      const served = isNew ? printed : old;
      for (const one of served[count % served.length] ?? []) store.record({ ...one, atMs: nowMs });
    }
    if (second % 60 !== 59) continue;
    const minute = (nowMs + SECOND_MS - beginMs) / MINUTE_MS;
    for (const alarm of alarms) {
      const name = names(alarm);
      if (name === undefined) continue;
      const { state } = judgeAlarm(alarm, store, { nowMs, startedAtMs: START }, 'OK');
      if (state === 'ALARM') on[name] ??= minute;
    }
  }
  return on;
}

test('what each version prints is counted for it', () => {
  for (const [version, printed] of [[OLD, old], ...GATES.map((gate) => [NEW, bad[gate]] as const)] as const) {
    const versions = printed.flat().map(({ dimensions }) => dimensions.Version);
    expect([...new Set(versions)].sort()).toEqual([version, undefined]);
  }
});

test('a good release passes every gate', () => {
  expect(firstOn(gateOf, good)).toEqual({});
});

test.each(GATES)('a bad release is stopped by its gate alone, within a minute: %s', (gate) => {
  expect(firstOn(gateOf, bad[gate])).toEqual({ [gate]: 1, ...ALSO_ON[gate] });
});

test.each([
  // Requests a second of the function at which the gate sees the fault within the canary, and at which it cannot.
  ['InternalErrors', 0.2, 0.05],
  ['NotFound', 1, 0.3],
  ['ChargesLess', 2, 1],
  ['Slow', 2, 1],
  ['OwnTime', 2, 1],
] as const)('%s has enough to go by at %f requests a second, and not at %f', (gate, enough, few) => {
  const onAt = (rate: number) => {
    const on = Object.keys(firstOn(gateOf, bad[gate], { rate }));
    return on.filter((name) => name === gate || ALSO_ON[gate]?.[name] === undefined);
  };
  expect(onAt(enough)).toEqual([gate]);
  expect(onAt(few)).toEqual([]);
});

test.each(METHOD_CLASSES)(
  'a version that itself takes longer for calls of class %s is stopped',
  (MethodClass) => {
    const ofClass = (printed: PrintedRequests) =>
      printed.map((request) =>
        request.map((one) =>
          one.dimensions.MethodClass === undefined
            ? one
            : { ...one, dimensions: { ...one.dimensions, MethodClass } },
        ),
      );
    const before = old;
    old = ofClass(old);
    const on = firstOn(gateOf, ofClass(bad.OwnTime));
    old = before;
    expect(on).toEqual({ [ofMost.includes(MethodClass) ? 'OwnTime' : 'OwnTimeOfOthers']: 1 });
  },
);

test('BillsDisagree needs one request of a canary, whatever the rate', () => {
  expect(firstOn(gateOf, bad.BillsDisagree, { rate: 0.05 })).toEqual({ BillsDisagree: expect.any(Number) });
});

test('an old version that fails stops no release', () => {
  const before = old;
  old = bad.InternalErrors.map((request) =>
    request.map((one) =>
      one.dimensions.Version === undefined
        ? one
        : { ...one, dimensions: { ...one.dimensions, Version: OLD } },
    ),
  );
  const on = firstOn(gateOf, good);
  old = before;
  expect(on).toEqual({});
});

test.each([
  ['InternalErrors', { internalerrors: 1 }],
  ['NotFound', { billsdisagree: 1, requestsnotfound: 5 }],
  ['ChargesLess', { billsdisagree: 1, nothingcharged: 5 }],
  ['BillsDisagree', { billsdisagree: 1 }],
] as const)('without a canary a page is sent: %s', (gate, pages) => {
  expect(firstOn(pageOf, bad[gate], { share: 1 })).toEqual(pages);
});

test('a good release sends no page', () => {
  expect(firstOn(pageOf, good, { share: 1 })).toEqual({});
});

test('docs/bad-days.md says when each bad release is stopped, and which alarm reports it without a canary', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'bad-days.md'), 'utf8');
  const said = [...page.matchAll(/^\| [^|]+ \| `(\w+)` \| (\d+) min[^|]*\| (\w+) \| (\d+) min[^|]*\|/gm)];
  const slow = ({ description }: AlarmDefinition) => /^\[ticket\] .*#(slowgateway)$/.exec(description)?.[1];
  // A fifth of a second is no matter for an alarm.
  const derived = GATES.filter((gate) => gate !== 'OwnTime').map((gate) => {
    const { [gate]: stopped } = firstOn(gateOf, bad[gate]);
    const watched = gate === 'Slow' ? slow : pageOf;
    const [[name, minute] = []] = Object.entries(firstOn(watched, bad[gate], { share: 1, minutes: 20 }));
    return [gate, String(stopped), name, String(minute)];
  });
  expect(
    said.map(([, gate, stopped, alarm = '', minute]) => [gate, stopped, alarm.toLowerCase(), minute]),
  ).toEqual(derived);
});
