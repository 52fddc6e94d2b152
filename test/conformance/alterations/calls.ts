import { type Alteration, withText } from '../altered-transport.ts';
import { BLOCKED, WEIGHTS } from '../clauses/json-rpc.ts';
import { type Json, type JsonObject, parseJson, type Seen } from '../seen.ts';
import {
  added,
  anyCall,
  batches,
  byClause,
  calls,
  each,
  header,
  json,
  merged,
  status,
  text,
} from './alter.ts';

const WEIGHED = WEIGHTS.map(([method]) => method);
/** What the gateway refuses: the clause, what tells its answer, and a word of its message. */
const REFUSALS = [
  ['errors.1', -32700, 'parse error'],
  ['errors.2', -32600, 'invalid request'],
  ['errors.3', -32600, 'batch too large'],
  ['errors.4', -32600, 'ambiguous member name'],
  ['errors.5', -32601, 'geth_foo_bar'],
  ['errors.6', -32602, 'block range too large'],
  ['errors.8', -32011, 'historical state is not available'],
  ['errors.9', -32000, 'transaction not found'],
  ['errors.10', -32000, 'block not found'],
] as const;

const MAX_BODY_BYTES = 2 * 1024 * 1024;
const TAKEN = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';

const twice = (value: string) => String(2 * Number(value));
const none = () => null;

/** Swaps the results of the answers of a batch; the ids stay. */
function swapped(body: Json): Json {
  const responses = body as readonly JsonObject[];
  const results = responses.map(({ result }) => result).filter((result) => result !== undefined);
  return responses.map((response) =>
    response.result === undefined ? response : merged(response, { result: results.pop() }),
  );
}

/** Alters the error of answers whose message has a word. */
function refusal(word: string, members: (error: JsonObject) => Readonly<Record<string, Json | undefined>>) {
  return text(anyCall, (body) => {
    const response = parseJson(body) as JsonObject | undefined;
    const error = response?.error as JsonObject | undefined;
    if (error === undefined || !String(error.message).includes(word)) return body;
    return JSON.stringify(merged(response, { error: merged(error, members(error)) }));
  });
}

/** Ways in which the JSON-RPC interface may be wrong. */
export const CALL_ALTERATIONS: readonly Alteration[] = [
  ...byClause({
    'weights.eth_call': {
      'calls are billed twice': header(anyCall, 'x-cu-billed', twice),
      'every call costs twice': header(anyCall, 'x-cu-cost', twice),
    },
    'metering.1': {
      'batches are billed by their first call': header(batches, 'x-cu-billed', () => '1'),
      'batches cost more than their calls': header(batches, 'x-cu-cost', twice),
    },
    'metering.4': {
      'an answer of the cache is billed at its weight': (seen, request) =>
        seen.headers.get('x-cache') === 'hit' ? added(calls(/./), 'x-cu-billed', '5')(seen, request) : seen,
    },
    'metering.6': {
      'the default weight is 11': header(calls('eth_gasPrice'), 'x-cu-cost', () => '11'),
    },
    'calls.3': {
      'results of a batch are swapped, with the ids kept': json(batches, swapped),
      'a batch is answered in another order': json(batches, (body) =>
        [...(body as unknown as Json[])].reverse(),
      ),
      'a batch is answered without its refused call': json(batches, (body) =>
        (body as unknown as JsonObject[]).filter(({ error }) => error === undefined),
      ),
      'all answers of a batch have one id': json(batches, (body) =>
        each(body, (response) => merged(response, { id: 1 })),
      ),
    },
    'calls.1': {
      'ids that are texts become numbers': text(anyCall, (body) => body.replace('"id":"a"', '"id":1')),
      'ids beyond 2^53 are rounded': text(anyCall, (body) =>
        body.replace('12345678901234567890', '12345678901234567000'),
      ),
    },
    'calls.2': {
      'answers have the version 1.0': text(anyCall, (body) =>
        body.replaceAll('"jsonrpc":"2.0"', '"jsonrpc":"1.0"'),
      ),
      'results come with an error that is null': json(anyCall, (body) =>
        'result' in body ? merged(body, { error: null }) : body,
      ),
      'codes of errors are texts': text(anyCall, (body) => body.replaceAll(/"code":(-?\d+)/g, '"code":"$1"')),
      'errors have no message': text(anyCall, (body) => body.replaceAll(/,"message":"(?:[^"\\]|\\.)*"/g, '')),
      'JSON-RPC answers are text/html': header(anyCall, 'content-type', () => 'text/html'),
      'JSON-RPC answers have no content type': header(anyCall, 'content-type', none),
    },
    'calls.4': {
      'a call of the version 1.0 is taken': (seen, { body = '' }) =>
        body.includes('"jsonrpc":"1.0"') ? withText(seen, TAKEN) : seen,
      'params by name are taken': (seen, { body = '' }) =>
        body.includes('"params":{}') ? withText(seen, TAKEN) : seen,
    },
    'service.5': {
      'JSON-RPC has CORS': added(anyCall, 'access-control-allow-origin', '*'),
      'a preflight of JSON-RPC is answered by 200': status(({ method }) => method === 'OPTIONS', 404, 200),
    },
    'service.2': {
      'debug_trace* is not available': refusal('transaction not found', () => ({ code: -32601 })),
    },
    'policy.1': {
      'methods of other names are sent to the node': json(
        calls(/^(admin|personal|txpool)_/),
        ({ id }) => ({ jsonrpc: '2.0', id, result: null }) as JsonObject,
      ),
    },
    'limits.1': {
      'bodies of more than 2 MiB are taken': (seen, { body = '' }) =>
        body.length > MAX_BODY_BYTES ? withText({ ...seen, status: 200 }, TAKEN) : seen,
      'bodies of 2 MiB are refused': (seen, { body = '' }) =>
        body.length === MAX_BODY_BYTES ? { ...seen, status: 413 } : seen,
    },
    'errors.7': {
      'a node that syncs is said to be down': undefined,
    },
    'authentication.7': {
      'a key without a balance gets 403': undefined,
    },
    'errors.18': {
      'an outage of the store is an internal error': undefined,
    },
    'errors.19': {
      'a function that hangs is a 502': undefined,
    },
    'metering.3': {
      'the hour is settled in units of 100 CU': undefined,
    },
  }),
  ...WEIGHED.map((method) => ({
    name: `${method} costs a unit more`,
    shownBy: `weights.${method}`,
    alter: header(calls(method), 'x-cu-cost', (value) => String(Number(value) + 1)),
  })),
  ...WEIGHED.filter((method) => method !== 'debug_traceTransaction').map((method) => ({
    name: `${method} is billed a unit more`,
    shownBy: `weights.${method}`,
    alter: header(calls(method), 'x-cu-billed', (value) => String(Number(value) + 1)),
  })),
  ...BLOCKED.flatMap((method, at) => [
    {
      name: `${method} is allowed`,
      shownBy: `policy.2.${at + 1}`,
      alter: json(calls(method), ({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }) as JsonObject),
    },
    {
      name: `${method} is billed`,
      shownBy: `policy.2.${at + 1}`,
      alter: header(calls(method), 'x-cu-billed', () => '10'),
    },
  ]),
  ...REFUSALS.flatMap(([clause, code, word]) => [
    {
      name: `${word}: another code than ${code}`,
      shownBy: clause,
      alter: refusal(word, () => ({ code: code - 1 })),
    },
    {
      name: `${word}: other words`,
      shownBy: clause,
      alter: refusal(word, ({ message }) => ({ message: `${message}!` })),
    },
    {
      name: `${word}: billed`,
      shownBy: clause,
      alter: (seen: Seen) => {
        const headers = new Headers(seen.headers);
        headers.set('x-cu-billed', '1');
        return seen.text.includes(word) ? { ...seen, headers } : seen;
      },
    },
    {
      name: `${word}: at the status 400`,
      shownBy: clause,
      alter: (seen: Seen) => (seen.text.includes(word) ? { ...seen, status: 400 } : seen),
    },
  ]),
  { name: 'JSON-RPC opens a WebSocket', shownBy: 'service.5', socketStatus: 101 },
  { name: 'a request for a WebSocket is answered by 200', shownBy: 'service.5', socketStatus: 200 },
];
