import { isPriceOf, listedPrice, type PriceList } from './price-list.ts';

/** Chain, method or sum of a price, calls, compute units, and those of the calls that were cached and that had an error. */
const LINE =
  /^([A-Za-z0-9_/]{1,48}|\*(?:0|[1-9]\d{0,8})):(\d{1,16}):(\d{1,16})(?::(\d{1,16})(?::(\d{1,16}))?)?$/;
const CHAIN = /^(?:[a-z0-9][a-z0-9_-]{0,62}|\*)$/;
const SUM_MARK = '*';

/** What a lane or a record says of itself. */
interface StatedUsage {
  /** Its usage text. */
  readonly used: string;
  /** Compute units that it bills. */
  readonly total: bigint | number;
}

/**
 * Works a bill out again from its usage: each line is (calls - cached) x price + cached, and all lines are its total.
 * @param list of its hour; undefined: there was none
 * @returns what is wrong; undefined: nothing
 */
export function wrongUsage({ used, total }: StatedUsage, list: PriceList | undefined): string | undefined {
  if (list === undefined) return 'no price list had begun';
  let sum = 0n;
  for (const group of used === '' ? [] : used.split(';')) {
    const [chain = '', ...lines] = group.split(' ');
    if (!CHAIN.test(chain) || lines.length === 0) return `${quoted(group)} cannot be read`;
    for (const line of lines) {
      const [, name = '', calls = '', cu = '', cached = '0'] = LINE.exec(line) ?? [];
      if (name === '') return `${quoted(line)} cannot be read`;
      const price = name.startsWith(SUM_MARK) ? sumPrice(list, name) : listedPrice(list, name);
      if (price === undefined) return `no price list has ${quoted(name)}`;
      const counted = BigInt(calls) - BigInt(cached);
      const due = counted * BigInt(price) + BigInt(cached) * BigInt(list.cached);
      if (counted < 0n || BigInt(cu) !== due)
        return `${calls} calls of ${name} on ${chain}, ${cached} of them cached, are ${cu} CU, and by the price list ${due}`;
      sum += due;
    }
  }
  return sum === BigInt(total) ? undefined : `its usage is ${sum} CU, and it bills ${total}`;
}

/** The price that calls are summed by; undefined: no call has it. */
function sumPrice(list: PriceList, name: string): number | undefined {
  const price = Number(name.slice(SUM_MARK.length));
  return isPriceOf(list, price) ? price : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
