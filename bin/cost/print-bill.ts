import { renderTable } from '../operator/context/text-table.ts';
import { PRICE_REGION, UNIT_PRICES } from '../prices/unit-prices.ts';
import type { BillLine, MonthlyBill } from './bill.ts';
import type { CountedOperations } from './counted-file.ts';
import { PROVIDERS, type ProviderCost } from './providers.ts';
import type { TrafficProfile } from './traffic.ts';

const MILLION = 1e6;
const SCALES: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** All that is printed. */
interface CostReport {
  readonly profile: TrafficProfile;
  readonly mixName: string;
  readonly bill: MonthlyBill;
  readonly providers: readonly ProviderCost[];
  readonly counted: Pick<CountedOperations, 'countedOn' | 'kinds'>;
}

/** Renders a report for people. */
export function renderReport(report: CostReport): string {
  return [
    ...heading(report),
    renderTable(
      ['service', 'item', 'quantity', 'of', 'USD'],
      [...report.bill.lines.map(billRow), ...totalRows(report.bill)],
    ),
    '',
    'The same JSON-RPC requests at list prices of others, nodes included, Data API requests not:',
    renderTable(
      ['provider', 'plan', 'own units', 'USD a month', 'USD per M'],
      report.providers.map(providerRow),
    ),
    '',
    ...remarks(report),
    '',
  ].join('\n');
}

function heading({ profile, mixName, counted }: CostReport): string[] {
  const { requests, dataRequests, accounts, chains, nodeCallUsd } = profile;
  return [
    `A month of ${scaled(requests)} JSON-RPC requests (mix ${mixName}) and ${scaled(dataRequests)} Data API requests,`,
    `${scaled(accounts)} accounts, ${chains} indexed chain(s): AWS list prices in ${PRICE_REGION}, operations counted on ${counted.countedOn}.`,
    nodeCallUsd === 0
      ? 'The nodes are counted and not priced: --node-usd-per-million says what they cost.'
      : `A million calls for nodes are taken to cost ${nodeCallUsd * MILLION} USD.`,
    '',
  ];
}

function billRow({ service, item, price, quantity, usd }: BillLine): string[] {
  return [service, item, scaled(quantity), unitOf(price), dollars(usd)];
}

function unitOf(price: BillLine['price']): string {
  if (price === 'nodeCall') return 'call';
  const { unit, unconfirmed } = UNIT_PRICES[price];
  return `${unit}${unconfirmed === true ? ' ?' : ''}`;
}

function totalRows({
  usd,
  fixedUsd,
  idleChainUsd,
  usdPerMillionRequests,
  usdPerThousandCu,
  billedCu,
}: MonthlyBill): string[][] {
  return [
    ['all', '', '', '', dollars(usd)],
    ['', 'of it without any request', '', '', dollars(fixedUsd)],
    ['', 'one more indexed chain, idle', '', '', dollars(idleChainUsd)],
    ['', 'per million requests', '', '', dollars(usdPerMillionRequests)],
    ['', 'per 1,000 CU', scaled(billedCu), 'CU billed', dollars(usdPerThousandCu, 6)],
  ];
}

function providerRow({ name, plan, unit, units, usd, usdPerMillionRequests }: ProviderCost): string[] {
  return [name, plan, `${scaled(units)} ${unit}s`, dollars(usd), dollars(usdPerMillionRequests)];
}

function remarks({ profile, counted }: CostReport): string[] {
  const { node, database, gateway } = profile.billedMs;
  const { call, data_block: block } = counted.kinds;
  return [
    '?: a price that was not read again on any page; look at its source before you rely on it.',
    `Assumed: ${node} ms of Lambda for a request that waits for a node, ${database} ms for one that waits for the`,
    `database, ${gateway} ms for the others. On the machine that counted, an eth_call took ${call.localMs} ms and a block`,
    `of the Data API ${block.localMs} ms; that is not what Lambda would bill.`,
    ...PROVIDERS.map(
      ({ name, date, sources, seen, assumed }) =>
        `${name} (${date}): ${[...sources, ...(seen === undefined ? [] : [seen])].join(', ')}${assumed && `. Assumed: ${assumed}`}`,
    ),
    'docs/cost.md says how this is counted, and what is left out.',
  ];
}

function dollars(usd: number, digits = 2): string {
  const [whole = '', fraction] = usd.toFixed(digits).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}

function scaled(quantity: number): string {
  const [scale, sign] = SCALES.find(([least]) => quantity >= least) ?? [1, ''];
  const value = quantity / scale;
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${sign}`;
}
