import fc from 'fast-check';
import { canonicalParams } from '../../../lambdas/rpc/cache/equal-calls.ts';
import { cacheCondition } from '../../../lambdas/rpc/cache/final-results.ts';
import { capGas } from '../../../lambdas/rpc/policy/screen-calls.ts';
import type { Call } from '../../../lambdas/shared/jsonrpc/calls.ts';

const CAP = 50_000_000;

function callOf(method: string, params: string): Call {
  return { id: Buffer.from('1'), method, params: Buffer.from(params) };
}

const textOf = (params: Uint8Array | undefined) => Buffer.from(params ?? []).toString();

test('whatever the params are, they stay as they came but for gas above the bound', () => {
  const gas = fc.bigInt({ min: 0n, max: 2n ** 80n });
  const spelled = fc
    .tuple(gas, fc.constantFrom('hex', 'padded', 'decimal', 'number'))
    .map(([value, form]) => {
      const digits = value.toString(16);
      const json = {
        hex: `"0x${digits}"`,
        padded: `"0x000${digits}"`,
        decimal: `"${value}"`,
        number: `${value}`,
      };
      return { value, json: json[form] };
    });
  const members = fc.dictionary(
    fc.string().filter((name) => !/^gas(limit)?$/i.test(name) && name !== '__proto__'),
    fc.jsonValue(),
    { maxKeys: 4 },
  );
  const space = fc.constantFrom('', ' ', '\n\t');
  fc.assert(
    fc.property(
      members,
      spelled,
      fc.array(fc.jsonValue(), { maxLength: 2 }),
      space,
      (others, { value, json }, rest, gap) => {
        const before = Object.entries(others).map(
          ([name, member]) => `${JSON.stringify(name)}:${gap}${JSON.stringify(member)}`,
        );
        const render = (written: string) =>
          `[${gap}{${[...before, `${gap}"gas"${gap}:${written}`].join(',')}}${rest.map((one) => `,${gap}${JSON.stringify(one)}`).join('')}]`;
        const { params } = capGas(callOf('eth_call', render(json)), CAP);
        expect(textOf(params)).toBe(render(value > BigInt(CAP) ? '"0x2faf080"' : json));
      },
    ),
  );
});

test('a call without a bound, or without an object, is the very same', () => {
  const params = '[{"gas":"0xffffffffff"}]';
  const unbounded = callOf('eth_call', params);
  expect(capGas(unbounded, undefined)).toBe(unbounded);
  for (const list of ['[]', '[ ]', '[null]', '["0xffffffffff"]', '[[{"gas":"0xffffffffff"}]]', '[{}]']) {
    const call = callOf('eth_call', list);
    expect(capGas(call, CAP)).toBe(call);
  }
});

test('the number of a block has one spelling in a key, and nothing else changes', () => {
  const number = fc.bigInt({ min: 0n, max: 2n ** 32n });
  const spelling = fc.tuple(number, fc.nat(7), fc.boolean()).map(([value, zeros, upper]) => {
    const digits = `${'0'.repeat(zeros)}${value.toString(16)}`;
    return { value, text: `0x${upper ? digits.toUpperCase() : digits}` };
  });
  const canonicalOf = (method: string, params: string): string => {
    const call = callOf(method, params);
    const pin = cacheCondition(call);
    const spellings = pin !== undefined && 'spellings' in pin ? (pin.spellings ?? []) : [];
    return textOf(canonicalParams(call.params ?? Buffer.of(), spellings));
  };
  fc.assert(
    fc.property(spelling, spelling, fc.boolean(), (from, to, swapped) => {
      const hex = (value: bigint) => `0x${value.toString(16)}`;
      const filter = (one: string, other: string) => {
        const range = [`"fromBlock": "${one}"`, `"toBlock":"${other}"`];
        return `[ {"address":"0x0A", ${(swapped ? range.reverse() : range).join(' , ')}} ]`;
      };
      expect(canonicalOf('eth_getLogs', filter(from.text, to.text))).toBe(
        filter(hex(from.value), hex(to.value)),
      );
      const balance = (at: string) => `["0x00AB",\n"${at}"]`;
      expect(canonicalOf('eth_getBalance', balance(from.text))).toBe(balance(hex(from.value)));
    }),
  );
});
