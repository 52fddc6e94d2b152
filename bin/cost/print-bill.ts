import { PRICE_REGION, UNIT_PRICES } from '../prices/unit-prices.ts';
import type { BillLine, MonthlyBill } from './bill.ts';
import type { CountedOperations } from './counted-file.ts';
import { PROVIDERS, type ProviderCost } from './providers.ts';
import type { TrafficProfile } from './traffic.ts';

const SERVICE_WIDTH = 16;
const ITEM_WIDTH = 36;
const QUANTITY_WIDTH = 12;
const UNIT_WIDTH = 20;
const USD_WIDTH = 12;
const NAME_WIDTH = 14;
const MILLION = 1e6;
const PLAN_WIDTH = 16;
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
    ...report.bill.lines.map(renderLine),
    ...totals(report.bill),
    '',
    ...providerTable(report),
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

function renderLine({ service, item, price, quantity, usd }: BillLine): string {
  const amount = scaled(quantity).padStart(QUANTITY_WIDTH);
  const unit = ` ${unitOf(price)}`.padEnd(UNIT_WIDTH);
  return `${service.padEnd(SERVICE_WIDTH)}${item.padEnd(ITEM_WIDTH)}${amount}${unit}${dollars(usd)}`;
}

function unitOf(price: BillLine['price']): string {
  if (price === 'nodeCall') return 'call';
  const { unit, unconfirmed } = UNIT_PRICES[price];
  return `${unit}${unconfirmed === true ? ' ?' : ''}`;
}

function totals({
  usd,
  fixedUsd,
  idleChainUsd,
  usdPerMillionRequests,
  usdPerThousandCu,
  billedCu,
}: MonthlyBill): string[] {
  const width = SERVICE_WIDTH + ITEM_WIDTH + QUANTITY_WIDTH + UNIT_WIDTH;
  const line = (text: string, amount: string) => `${text.padEnd(width)}${amount}`;
  return [
    '-'.repeat(width + USD_WIDTH),
    line('Total, USD', dollars(usd)),
    line('  of which without any request', dollars(fixedUsd)),
    line('One more indexed chain, idle', dollars(idleChainUsd)),
    line('Per million requests', dollars(usdPerMillionRequests)),
    line(`Per 1,000 CU (${scaled(billedCu)} CU billed)`, dollars(usdPerThousandCu, 6)),
  ];
}

function providerTable({ providers }: CostReport): string[] {
  const rows = providers.map(({ name, plan, unit, units, usd, usdPerMillionRequests }) => {
    const own = `${scaled(units)} ${unit}s`.padStart(PLAN_WIDTH + QUANTITY_WIDTH);
    return `${name.padEnd(NAME_WIDTH)}${plan.padEnd(PLAN_WIDTH)}${own}${dollars(usd)}${dollars(usdPerMillionRequests)}`;
  });
  const head = `${'Provider'.padEnd(NAME_WIDTH)}${'plan'.padEnd(PLAN_WIDTH)}${'own units'.padStart(
    PLAN_WIDTH + QUANTITY_WIDTH,
  )}${'USD a month'.padStart(USD_WIDTH)}${'USD per M'.padStart(USD_WIDTH)}`;
  return [
    'The same JSON-RPC requests at list prices of others, nodes included, Data API requests not:',
    head,
    ...rows,
  ];
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
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`.padStart(USD_WIDTH);
}

function scaled(quantity: number): string {
  const [scale, sign] = SCALES.find(([least]) => quantity >= least) ?? [1, ''];
  const value = quantity / scale;
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${sign}`;
}
