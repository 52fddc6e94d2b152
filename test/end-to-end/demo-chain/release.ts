import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeenResponse } from '../../../lambdas/probe/compare-responses.ts';
import { judgeRelease } from '../../../lambdas/probe/judge-release.ts';
import { proxyEvent, type ReleaseRequest } from '../../../lambdas/probe/release-request.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { parseStageConfig } from '../../../lib/config/config.ts';
import { releaseFile } from '../../../lib/monitoring/release-file.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { openAccount } from '../operator/account.ts';
import type { RunningGateway } from '../running-gateway.ts';

const COMPARED_WITHIN_MS = 120_000;
const STAGE_FILE = join(import.meta.dirname, '..', '..', '..', 'config', 'local.json');
const WRONG_RELEASES = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'metering.md'),
  'utf8',
);
const TARGETS = ['rpc', 'data', 'status', 'mcp'];
/** What one version answers in another way each time. */
const MOVING = ['getFreshness: body', 'status: body'];
/** Nothing is known of a price, and before the first head nothing signs a receipt. */
const ABSENT = ['getTokenPrice', 'listAccountReceipts'];

/** What is wrong with the new version: another response to a request. */
type Alter = (seen: SeenResponse, request: ReleaseRequest) => SeenResponse;

const without = (seen: SeenResponse, member: RegExp) => ({ ...seen, body: seen.body.replace(member, '') });
/** Rows of the table of wrong releases that no bill tells of, each with the function, and what is said of it. */
const WRONG: Readonly<
  Record<string, { target: string; alter: Alter; found: readonly string[]; said: RegExp }>
> = {
  'loses `next_cursor` of one list': {
    target: 'data',
    alter: (seen, { of }) => (of === 'listTokens' ? without(seen, /,"next_cursor":"[^"]*"/) : seen),
    found: ['listTokens: body'],
    said: /\| \[the probe\]/,
  },
  'leaks a header': {
    target: 'status',
    alter: (seen, { of }) =>
      of === 'chains' ? { ...seen, headers: { ...seen.headers, 'x-holder': 'acme' } } : seen,
    found: ['chains: x-holder'],
    said: /\| the same \|/,
  },
  'bills another weight': {
    target: 'rpc',
    alter: (seen, { of }) =>
      of === 'eth_getProof' ? { ...seen, headers: { ...seen.headers, 'x-cu-billed': '41' } } : seen,
    found: ['eth_getProof: x-cu-billed'],
    said: /`BillsDisagree`/,
  },
};

/** Tests that what releases are compared by finds a wrong one on a running gateway, and nothing in an equal one. */
export function testRelease(running: () => RunningGateway): void {
  const file = releaseFile(parseStageConfig(JSON.parse(readFileSync(STAGE_FILE, 'utf8')), STAGE_FILE));

  async function judge(target: string, alter: Alter = (seen) => seen) {
    const gateway = running();
    const { apiKey: key } = await openAccount(gateway);
    const telemetry = new RecordedTelemetry();
    const statuses = new Map<string, number>();
    const isWell = await judgeRelease({
      ...file,
      target,
      requests: file.requests[target] ?? [],
      ask: async (version, request, values) => {
        const seen = await send(gateway.baseUrl, proxyEvent(request, values, { key, requestId: '1' }));
        statuses.set(request.of, seen.status);
        return version === 'new' ? alter(seen, request) : seen;
      },
      pause: sleep,
      endsAt: systemClock.now() + COMPARED_WITHIN_MS,
      clock: systemClock,
      telemetry,
    });
    const differences = telemetry.logged.flatMap(({ event, reason }) =>
      event === 'release_differs' ? [reason] : [],
    );
    const moving = telemetry.logged.flatMap(({ event, reason }) =>
      event === 'release_moving' ? [reason] : [],
    );
    return { isWell, differences, moving, statuses, compared: telemetry.logged.at(-1) };
  }

  test.each(TARGETS)(
    'a release of %s that answers alike is let through, and most of what it is asked finds something',
    async (target) => {
      const { isWell, differences, moving, statuses, compared } = await judge(target);
      expect([isWell, differences]).toEqual([true, []]);
      expect(moving.filter((one) => !MOVING.includes(one ?? ''))).toEqual([]);
      expect(compared).toMatchObject({ level: 'info', count: expect.any(Number) });
      const missed = [...statuses].filter(([of, status]) => status !== 200 && !ABSENT.includes(of));
      expect(missed).toEqual([]);
    },
    COMPARED_WITHIN_MS + 60_000,
  );

  test.each(Object.entries(WRONG))(
    'a release that %s is stopped before any customer',
    async (name, { target, alter, found, said }) => {
      const row = WRONG_RELEASES.split('\n').find((line) => line.startsWith(`| ${name} |`));
      expect(row).toMatch(said);
      expect(await judge(target, alter)).toMatchObject({ isWell: false, differences: found });
    },
    COMPARED_WITHIN_MS + 60_000,
  );
}

async function send(baseUrl: string, event: object): Promise<SeenResponse> {
  const { path, httpMethod, headers, body, queryStringParameters } = event as {
    readonly path: string;
    readonly httpMethod: string;
    readonly headers: Record<string, string>;
    readonly body: string | null;
    readonly queryStringParameters: Record<string, string> | null;
  };
  const query = new URLSearchParams(queryStringParameters ?? {});
  const response = await fetch(`${baseUrl}${path}?${query}`, { method: httpMethod, headers, body });
  const seen = new Map(response.headers);
  // Those of the connection and of the API, which no function sends.
  for (const name of seen.keys())
    if (/^(?:connection|keep-alive|transfer-encoding|x-amzn?-.*)$/.test(name)) seen.delete(name);
  return { status: response.status, headers: Object.fromEntries(seen), body: await response.text() };
}
