/** That what a form writes is the request that it sends, in each language, whatever is typed into it. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import {
  portfolioRequests,
  requestOf,
  samplesOf,
  type TriedRequest,
} from '../../docs/site/assets/request-samples.ts';

const BASE = 'http://127.0.0.1:8080';
const OPERATION: TriedRequest = {
  kind: 'data',
  id: 'listAddressTransfers',
  path: '/v1/data/{chain}/addresses/{address}/transfers',
  bare: ['limit'],
  chain: 'main',
};
const code = (label: string, ...[request, entered]: Parameters<typeof requestOf>) =>
  samplesOf(request, entered, BASE).find((sample) => sample.label === label)?.code ?? '';
/** What a shell gives to the command that a line runs. */
const inShell = (line: string, variable = '') =>
  execFileSync('sh', ['-c', `curl() { for one; do printf '%s\\0' "$one"; done; }\n${line}`], {
    encoding: 'utf8',
    env: { GATEWAY_KEY: variable },
  }).split('\0');

test('fields of the path stand in it, the others behind it; an empty one is left out', () => {
  const entered = [
    ['chain', 'main'],
    ['address', '0x01'],
    ['limit', '5'],
    ['token', ''],
    ['standard', 'erc20,erc721'],
  ] as const;
  expect(requestOf(OPERATION, entered)).toEqual({
    path: '/v1/data/main/addresses/0x01/transfers?limit=5&standard=erc20,erc721',
  });
  expect(code('TypeScript', OPERATION, entered)).toBe(
    "const { data } = await client.get('listAddressTransfers', {\n  address: '0x01',\n  limit: 5,\n  standard: 'erc20,erc721',\n});",
  );
});

test('parameters of a method are JSON or text, in their places; the last empty ones are left out', () => {
  const request = { kind: 'rpc', method: 'eth_call' } as const;
  const entered = [
    ['call', '{"to":"0x01"}'],
    ['block', ''],
    ['overrides', '{"0x02":{"code":null,"isTrue":true}}'],
    ['more', ''],
  ] as const;
  expect(JSON.parse(requestOf(request, entered).body ?? '').params).toEqual([
    { to: '0x01' },
    null,
    { '0x02': { code: null, isTrue: true } },
  ]);
  expect(code('Python', request, entered)).toContain('{ "0x02": { "code": None, "isTrue": True } }');
});

test('whatever is typed, a shell hands on what is sent, JavaScript reads it, and no sample holds the key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (typed) => {
      const text = typed.replaceAll('\0', '');
      const data = [
        ['chain', 'main'],
        ['address', '0x01'],
        ['token', text],
      ] as const;
      const [url = ''] = inShell(code('curl', OPERATION, data).replace('-s', '')).slice(0, 1);
      expect(url).toBe(BASE + requestOf(OPERATION, data).path);
      const call = { kind: 'rpc', method: 'eth_call' } as const;
      const params = [['data', JSON.stringify(text)]] as const;
      const sent = inShell(code('curl', call, params)).at(-2) ?? '';
      expect(JSON.parse(sent)).toEqual(JSON.parse(requestOf(call, params).body ?? ''));
      const written = new Function(
        'client',
        `return ${code('TypeScript', OPERATION, data).split('await ')[1]}`,
      );
      const asked = written({ get: (_: string, values: { readonly token?: string }) => values.token ?? '' });
      expect(asked).toBe(text);
    }),
    { numRuns: 60 },
  );
});

test('every sample reads the key from the environment', () => {
  for (const request of [OPERATION, { kind: 'rpc', method: 'eth_chainId' } as const])
    for (const { label, code } of samplesOf(request, [], BASE))
      if (!['TypeScript', 'viem', 'ethers'].includes(label)) expect(code).toContain('GATEWAY_KEY');
});

test('a portfolio is a request of each chain that is named, once, and a shell sends the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 4 }), (typed) => {
      const chains = typed.join(',').replaceAll('\0', '');
      const entered = [
        ['address', "0x'$(01"],
        ['chains', chains],
      ] as const;
      const paths = portfolioRequests(entered).map(({ path }) => path);
      const [curl, typescript] = samplesOf({ kind: 'portfolio' }, entered, BASE);
      const sent = inShell(curl?.code ?? '').filter((one) => one.startsWith(BASE));
      expect(sent).toEqual(paths.map((path) => BASE + path));
      expect(typescript?.code).toContain("client.portfolio('0x\\'$(01'");
    }),
    { numRuns: 20 },
  );
});
