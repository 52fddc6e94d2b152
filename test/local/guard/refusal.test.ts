import fc from 'fast-check';
import { parseRequestHead } from '../../../local/guard/guarded-port.ts';
import {
  type Refuse,
  refuseForeignPages,
  refuseOtherClients,
  refuseOtherThanJsonRpc,
} from '../../../local/guard/refusal.ts';
import { ACCESS_KEY_ID } from '../access-key.ts';

const JSON_1_0 = 'application/x-amz-json-1.0';
const signedWith = (key: string) =>
  `AWS4-HMAC-SHA256 Credential=${key}/20261123/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0`;
const HOST = '127.0.0.1:4566';
const client = { host: HOST, 'content-type': JSON_1_0, authorization: signedWith(ACCESS_KEY_ID) };
const viem = { host: HOST, 'content-type': 'application/json' };
const socket = { host: HOST, upgrade: 'websocket', connection: 'Upgrade' };
const service = refuseOtherClients(JSON_1_0, ACCESS_KEY_ID);

type Case = readonly [string, Refuse, string, Record<string, string>, number | undefined];

test.each<Case>([
  ['a client of the run', service, 'POST', client, undefined],
  ['one that names this machine', service, 'POST', { ...client, host: 'localhost:4566' }, undefined],
  ['another port, as of a forwarded one', service, 'POST', { ...client, host: '127.0.0.1:9' }, undefined],
  ['a page', service, 'POST', { ...client, origin: 'http://evil.example' }, 403],
  ['a page without an origin to tell', service, 'POST', { ...client, origin: 'null' }, 403],
  ['a page of another port', service, 'POST', { ...client, origin: 'http://127.0.0.1:3000' }, 403],
  ['a name that points here', service, 'POST', { ...client, host: 'evil.example:4566' }, 421],
  ['a name that begins as ours', service, 'POST', { ...client, host: '127.0.0.1.evil.example' }, 421],
  ['no host', service, 'POST', { 'content-type': JSON_1_0, authorization: client.authorization }, 421],
  ['another key', service, 'POST', { ...client, authorization: signedWith('local') }, 403],
  ['a longer key', service, 'POST', { ...client, authorization: signedWith(`${ACCESS_KEY_ID}1`) }, 403],
  ['no key', service, 'POST', { host: HOST, 'content-type': JSON_1_0 }, 403],
  ['a text', service, 'POST', { ...client, 'content-type': 'text/plain' }, 415],
  ['another type', service, 'POST', { ...client, 'content-type': 'application/json' }, 415],
  ['a GET', service, 'GET', client, 405],
  ['a preflight', service, 'OPTIONS', { host: HOST, origin: 'http://evil.example' }, 403],

  ['viem', refuseOtherThanJsonRpc, 'POST', viem, undefined],
  [
    'a charset',
    refuseOtherThanJsonRpc,
    'POST',
    { ...viem, 'content-type': 'application/json; charset=utf-8' },
    undefined,
  ],
  ['a WebSocket', refuseOtherThanJsonRpc, 'GET', socket, undefined],
  ['a WebSocket of a page', refuseOtherThanJsonRpc, 'GET', { ...socket, origin: 'http://evil.example' }, 403],
  ['an image of a page', refuseOtherThanJsonRpc, 'GET', { host: HOST }, 405],
  ['a form of a page', refuseOtherThanJsonRpc, 'POST', { ...viem, 'content-type': 'text/plain' }, 415],
  [
    'a name that points to a node',
    refuseOtherThanJsonRpc,
    'POST',
    { ...viem, host: 'evil.example:4566' },
    421,
  ],

  ['a reader of a page', refuseForeignPages, 'GET', { host: HOST }, undefined],
  ['its own script', refuseForeignPages, 'POST', { host: HOST, origin: `http://${HOST}` }, undefined],
  [
    'the script of another page',
    refuseForeignPages,
    'GET',
    { host: HOST, origin: 'http://evil.example' },
    403,
  ],
])('%s', (_, refuse, method, headers, status) => expect(refuse({ method, headers })?.status).toBe(status));

describe('the head of a request', () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/);
  const headers = fc.uniqueArray(fc.tuple(name, value), {
    maxLength: 12,
    selector: ([one]) => one.toLowerCase(),
  });
  const written = (given: readonly (readonly [string, string])[], colon = ': ') =>
    ['POST /a?b HTTP/1.1', ...given.map(([one, other]) => `${one}${colon}${other}`)].join('\r\n');

  test('is read whatever its headers are', () => {
    fc.assert(
      fc.property(headers, fc.constantFrom(':', ': ', ':\t '), (given, colon) => {
        const lowerCase = given.map(([one, other]) => [one.toLowerCase(), other]);
        expect(parseRequestHead(written(given, colon))).toEqual({
          method: 'POST',
          headers: Object.fromEntries(lowerCase),
        });
      }),
    );
  });

  test('is refused if a header comes twice, in whatever case', () => {
    fc.assert(
      fc.property(headers, name, value, value, (given, twice, one, other) => {
        const all = [...given, [twice.toUpperCase(), one], [twice.toLowerCase(), other]] as const;
        expect(parseRequestHead(written(all))).toBeUndefined();
      }),
    );
  });

  test.each([
    'GET / HTTP/1.1\r\nHost: a\nOrigin: b',
    'GET / HTTP/1.1\r\nHost: a\r\n Origin: b',
    'GET / HTTP/1.1\r\nHost : a',
    'GET / HTTP/1.1\r\n: a',
    'GET  / HTTP/1.1',
    'GET /',
    'PRI * HTTP/2.0',
    '\u0016\u0003\u0001',
    '',
  ])('%j is none', (text) => expect(parseRequestHead(text)).toBeUndefined());
});
