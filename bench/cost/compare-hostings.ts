import { makeBill, type TrafficProfile } from './bill.ts';
import type { CountedFile } from './counted-file.ts';
import type { HostedFunction, SharedProfile } from './hosting.ts';

const SECONDS_OF_MONTH = 730 * 3_600;
/** Parts of the bill that do not depend on the hosting. */
const EDGE = ['API Gateway', 'WAF', 'Data transfer', 'Nodes'];
const RATES = [1, 10, 100, 1_000, 10_000] as const;
/** Rates between which hostings are compared, and how finely, in steps of a tenth of a decade. */
const STEPS_OF_DECADE = 10;
const RATE_WIDTH = 12;
const USD_WIDTH = 14;

/** Hostings that a function can have. */
export const HOSTINGS = ['event', 'instances'] as const;
export type HostingName = (typeof HOSTINGS)[number];

/** A month of requests to one function alone, however it is hosted. */
interface HostedMonth {
  readonly usd: number;
  /** Without API Gateway, firewall, transfer and nodes. */
  readonly ownUsd: number;
}

/**
 * Prices a month of so many requests a second to one function.
 * @param shared what is assumed of environments of many requests
 */
export function monthOf(
  profile: TrafficProfile & { readonly shared: SharedProfile },
  { counted, resources }: CountedFile,
  name: HostedFunction,
  { hosting, perSecond }: { readonly hosting: HostingName; readonly perSecond: number },
): HostedMonth {
  const count = (of: HostedFunction) => (of === name ? perSecond * SECONDS_OF_MONTH : 0);
  const { usd, lines } = makeBill(
    {
      ...profile,
      requests: count('rpc'),
      dataRequests: count('data'),
      mcpRequests: count('mcp'),
      shared: hosting === 'event' ? undefined : { ...profile.shared, functions: [name] },
    },
    counted,
    resources,
  );
  const edge = lines.reduce((sum, line) => (EDGE.includes(line.service) ? sum + line.usd : sum), 0);
  return { usd, ownUsd: usd - edge };
}

/** The least rate from which on one hosting costs less than another, in requests a second; undefined: none up to 10,000. */
export function crossover(
  priceOf: (perSecond: number) => readonly [one: number, other: number],
): number | undefined {
  const last = Math.log10(RATES[RATES.length - 1] ?? 1) * STEPS_OF_DECADE;
  let from: number | undefined;
  for (let step = 0; step <= last; step += 1) {
    const perSecond = 10 ** (step / STEPS_OF_DECADE);
    const [one, other] = priceOf(perSecond);
    if (one >= other) from = undefined;
    else from ??= perSecond;
  }
  return from;
}

/** A table of all hostings of a function from 1 to 10,000 requests a second, and where they cross. */
export function renderComparison(
  profile: TrafficProfile & { readonly shared: SharedProfile },
  file: CountedFile,
  name: HostedFunction,
): string {
  const month = (hosting: HostingName, perSecond: number) =>
    monthOf(profile, file, name, { hosting, perSecond });
  const row = (perSecond: number) => [
    perSecond.toLocaleString('en-US').padStart(RATE_WIDTH),
    ...HOSTINGS.map((hosting) => dollars(month(hosting, perSecond).usd)),
    ...HOSTINGS.map((hosting) => dollars(month(hosting, perSecond).ownUsd)),
  ];
  const crossings = HOSTINGS.flatMap((one) =>
    HOSTINGS.filter((other) => other !== one).flatMap((other) => {
      const from = crossover((perSecond) => [month(one, perSecond).usd, month(other, perSecond).usd]);
      return from === undefined
        ? []
        : [`${one} costs less than ${other} from ${Math.round(from)} requests/s on`];
    }),
  );
  return [
    `USD a month of ${name} alone, and the same without API Gateway, firewall, transfer and nodes.`,
    `What is assumed of instances has a ? in --help.`,
    '',
    [
      'requests/s'.padStart(RATE_WIDTH),
      ...[...HOSTINGS, ...HOSTINGS].map((text) => text.padStart(USD_WIDTH)),
    ].join(''),
    ...RATES.map((perSecond) => row(perSecond).join('')),
    '',
    ...crossings,
    '',
  ].join('\n');
}

function dollars(usd: number): string {
  return Math.round(usd).toLocaleString('en-US').padStart(USD_WIDTH);
}
