/** A response is the caller's, or something that another node may do better; a client's words are no evidence. */
import type { UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import { failed } from '../../../../lambdas/shared/jsonrpc/match-responses.ts';
import type { RequiredBlock } from '../../../../lambdas/shared/jsonrpc/required-block.ts';
import {
  type Circumstances,
  classifyResponse,
  type ResponseClass,
} from '../../../../lambdas/shared/upstream/routing/classify-response.ts';

const HEAD_NUMBER = 1_000n;
const AT_HEAD: RequiredBlock = { kind: 'head' };
const BY_HASH: RequiredBlock = { kind: 'hash' };

function block(number: bigint): RequiredBlock {
  return { kind: 'block', number };
}

function judge(response: UpstreamResponse, circumstances: Partial<Circumstances> = {}): ResponseClass {
  return classifyResponse(response, {
    call: { method: 'debug_traceCall', params: undefined },
    need: AT_HEAD,
    behind: false,
    customTracer: false,
    status: 200,
    head: HEAD_NUMBER,
    ...circumstances,
  });
}

function error(code: number, message: string): UpstreamResponse {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message })) };
}

function result(json: string): UpstreamResponse {
  return { kind: 'result', result: Buffer.from(json) };
}

test.each<[number, string]>([
  [3, 'execution reverted'],
  [-32602, 'invalid params'],
  [-32003, 'transaction rejected'],
  [-32000, 'execution reverted: not found'],
  [-32000, 'execution reverted: header not found'],
  [-32000, 'execution reverted: missing trie node'],
  [-32000, 'execution reverted: rate limit exceeded'],
  [-32000, 'nonce too low'],
  [-32000, 'insufficient funds for gas * price + value'],
  [-32000, 'intrinsic gas too low'],
  [-32603, 'execution error: reverted'],
  [-38013, 'intrinsic gas too low'],
  [-32000, 'stack underflow (0 <=> 1)'],
  [-32000, 'max code size exceeded'],
  [-32000, 'max call depth exceeded'],
  [-32000, 'write protection'],
  [-32000, 'invalid jump destination'],
  [-32602, 'missing value for required argument 0'],
])('the fault of the caller stays: %i %s', (code, message) => {
  expect(judge(error(code, message))).toBe('final');
});

test.each<[ResponseClass, number, string]>([
  ['missing_data', 4444, 'pruned history unavailable'],
  ['missing_method', -32601, 'the method eth_foo does not exist'],
  ['missing_method', -32004, 'method not supported'],
  ['missing_data', -32001, 'resource not found'],
  ['missing_data', -32000, 'header not found'],
  ['missing_data', -32000, 'missing trie node 0ab (path ) state 0x1 is not available, not found'],
  ['missing_data', -32000, 'historical state 0xab is not available'],
  ['missing_data', -32000, 'required historical state unavailable (reexec=128)'],
  ['missing_data', -32000, 'state at block #12 is pruned'],
  ['missing_data', -32000, 'unknown block'],
  ['limited', -32005, 'daily request count exceeded, request rate limited'],
  ['limited', -32007, '50/second request limit reached'],
  ['limited', 429, 'Too Many Requests'],
  ['broken', -32005, 'query timeout exceeded'],
  ['limited_in_words', -32000, 'rate limit exceeded'],
  ['broken', -32603, 'Internal error'],
  ['broken', -32002, 'resource unavailable'],
  ['broken', -32000, 'request timed out'],
  ['missing_data', -32000, 'historical state not available in path scheme yet'],
  ['missing_data', -32000, 'transaction indexing is in progress'],
  ['missing_data', -32000, 'old data not available due to pruning: requested block 5'],
  ['missing_data', -32801, 'no historical RPC is available for this historical execution request'],
  ['missing_data', -32000, 'hash 0xab is not currently canonical'],
  ['missing_data', -32602, "Block with such an ID doesn't exist yet"],
])('another node may do better (%s): %i %s', (verdict, code, message) => {
  expect(judge(error(code, message))).toBe(verdict);
});

test.each([
  [-32000, 'something that no node has said before'],
  [-32602, 'something that no node has said before'],
  [-32603, 'something that no node has said before'],
  [-32600, 'invalid request'],
  [-32005, 'query returned more than 10000 results'],
  [-32009, 'something that no node has said before'],
])('what stands in no table is doubtful: %i %s', (code, message) => {
  expect(judge(error(code, message))).toBe('doubtful');
});

describe('a trace by code of the client', () => {
  test.each(['header not found', 'missing trie node', 'rate limit exceeded', 'internal error'])(
    'is not asked for again where the node adds nothing to what it throws: %s',
    (message) => {
      expect(judge(error(-32000, message), { customTracer: true, status: 503 })).toBe('final');
      expect(judge(error(-32603, message), { customTracer: true })).toBe('final');
    },
  );

  test('is asked for elsewhere if the node says so by its code', () => {
    expect(judge(error(4444, 'pruned history unavailable'), { customTracer: true })).toBe('missing_data');
    expect(judge(error(-32005, 'limit exceeded'), { customTracer: true })).toBe('limited');
    expect(judge(error(-32000, 'x'), { customTracer: true, status: 429 })).toBe('limited');
  });
});

test('long messages are read in linear time', () => {
  expect(judge(error(-32000, 'state block'.repeat(200_000)))).toBe('doubtful');
});

test('what the gateway could not read is worth another try, but what is too large is so everywhere', () => {
  expect(judge(failed('no_upstream_response'))).toBe('unread');
  expect(judge(failed('malformed_upstream_response'))).toBe('unread');
  for (const status of [400, 408, 413, 414, 431, 504, 524])
    expect(judge(failed('malformed_upstream_response'), { status })).toBe('unread');
  for (const status of [401, 500, 502, 503])
    expect(judge(failed('upstream_unavailable'), { status })).toBe('failed');
  expect(judge(failed('upstream_response_too_large'))).toBe('final');
});

test.each<[string, ResponseClass, Partial<Circumstances>]>([
  ['a block that there is', 'missing_data', { need: block(HEAD_NUMBER) }],
  ['a block that there is not', 'final', { need: block(HEAD_NUMBER + 1n) }],
  ['a block of a chain whose head is not known', 'final', { need: block(5n), head: undefined }],
  ['a hash', 'absent', { need: BY_HASH }],
  ['a hash, from an upstream that is behind', 'unknown_behind', { need: BY_HASH, behind: true }],
  ['something else', 'final', {}],
])('null for %s', (_name, verdict, circumstances) => {
  expect(judge(result('null'), circumstances)).toBe(verdict);
});

test.each<[string, ResponseClass, Partial<Circumstances>]>([
  ['a hash', 'absent', { need: BY_HASH }],
  ['a hash, from an upstream that is behind', 'unknown_behind', { need: BY_HASH, behind: true }],
  ['a block that there is', 'missing_data', { need: block(HEAD_NUMBER) }],
  ['a block that may just have come', 'missing_data', { need: block(HEAD_NUMBER + 8n) }],
  ['a block far beyond the head', 'final', { need: block(HEAD_NUMBER + 9n) }],
])('not found: %s', (_name, verdict, circumstances) => {
  expect(judge(error(-32000, 'block not found'), circumstances)).toBe(verdict);
  expect(judge(error(-32001, 'resource not found'), circumstances)).toBe(verdict);
});

describe('text that repeats what the caller sent is never evidence against a node', () => {
  const NO_EVIDENCE: readonly ResponseClass[] = ['final', 'doubtful'];
  const WORDS = [
    'quota',
    'rate limit',
    'timed out',
    'missing trie node',
    'header not found',
    'Internal Error',
  ];

  test.each(WORDS)('%s', (words) => {
    const config = { timeout: words, [words]: 1, nested: [{ words }] };
    const params = Buffer.from(JSON.stringify([{}, 'latest', config]));
    const escaped = Buffer.from(
      `["${[...words].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"]`,
    );
    for (const message of [
      `time: invalid duration "${words}"`,
      `unknown field ${words.toUpperCase()}: ${words}`,
    ]) {
      for (const call of [
        { method: 'debug_traceCall', params },
        { method: 'debug_traceCall', params: escaped },
        { method: `eth_${words}`, params: Buffer.from(JSON.stringify([words])) },
      ]) {
        expect(NO_EVIDENCE).toContain(judge(error(-32000, message), { call, need: block(HEAD_NUMBER) }));
      }
    }
    // In the node's own words it is.
    const other = { method: 'debug_traceCall', params: Buffer.from('["0xabc"]') };
    expect(NO_EVIDENCE).not.toContain(judge(error(-32000, words), { call: other, need: block(HEAD_NUMBER) }));
  });

  test('and words alone make no upstream limited to a call that runs code of a client: code and status do', () => {
    for (const method of ['eth_call', 'debug_traceCall', 'debug_traceTransaction']) {
      const asked = { call: { method, params: undefined } };
      expect(judge(error(-32000, 'rate limit exceeded'), asked)).toBe('limited_in_words');
      expect(judge(error(-32000, 'rate limit exceeded'), { ...asked, status: 429 })).toBe('limited');
      expect(judge(error(-32005, 'rate limit exceeded'), asked)).toBe('limited');
    }
  });

  test('nor to one that has such words in it, whole or in part', () => {
    const params = Buffer.from('["over the rate limit of"]');
    const asked = { call: { method: 'eth_getBalance', params } };
    expect(judge(error(-32000, 'invalid argument: rate limit'), asked)).toBe('limited_in_words');
    expect(judge(error(-32000, 'invalid argument: over the rate limit of'), asked)).toBe('final');
    const other = { call: { method: 'eth_getBalance', params: Buffer.from('["0x01","latest"]') } };
    expect(judge(error(-32000, 'rate limit exceeded'), other)).toBe('limited');
  });
});
