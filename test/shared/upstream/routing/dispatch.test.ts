/** No call gets the response of another, whatever a node sends over HTTP. */
import fc from 'fast-check';
import type { Call, UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import type { Reason } from '../../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { systemClock } from '../../../../lambdas/shared/runtime/clock.ts';
import { dispatch } from '../../../../lambdas/shared/upstream/asking/dispatch.ts';
import {
  connectNode,
  type NodeConnection,
} from '../../../../lambdas/shared/upstream/connection/node-connection.ts';
import { singleNode } from '../../../nodes/chain-node.ts';
import {
  answering,
  body,
  callsOf,
  closing,
  halfBody,
  type OutgoingResponse,
  type ReceivedCall,
  renderResponse,
  result,
  stalling,
  unbounded,
} from '../../../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../../../nodes/scripted-node.ts';

const MAX_RESPONSE_BYTES = 1024 * 1024;
const AMPLE_MS = 20_000;
const SHORT_MS = 200;

let node: ScriptedNode;
let connection: NodeConnection;

beforeEach(async () => {
  node = await startScriptedNode(answering(echo));
  connection = connectNode({ url: node.url, maxResponseBytes: MAX_RESPONSE_BYTES, clock: systemClock });
});

afterEach(async () => {
  connection.close();
  await node.close();
});

/** A result from which one can tell the call that it belongs to; of a node that does not sync. */
function echo({ method, params }: ReceivedCall) {
  if (method === 'eth_syncing') return { result: 'false' };
  return { result: JSON.stringify({ method, params }) };
}

function call(method: string, params?: string, id = '"client-id"'): Call {
  return { id: Buffer.from(id), method, params: params === undefined ? undefined : Buffer.from(params) };
}

/** `count` different calls. */
function calls(count: number): Call[] {
  return Array.from({ length: count }, (_, index) =>
    call('eth_getBlockByNumber', `["0x${index.toString(16)}",true]`),
  );
}

function send(sent: readonly Call[], timeoutMs = AMPLE_MS): Promise<readonly UpstreamResponse[]> {
  return dispatch(sent, singleNode(connection), systemClock.now() + timeoutMs);
}

/** A response in a form that compares well: its raw JSON or its reason. */
function told(response: UpstreamResponse): string {
  switch (response.kind) {
    case 'result':
      return Buffer.from(response.result).toString();
    case 'error':
      return `error ${response.code} ${Buffer.from(response.error)}`;
    case 'failed':
      return response.error.reason;
  }
}

function own({ method, params }: Call): string {
  const text = params === undefined ? undefined : JSON.parse(Buffer.from(params).toString());
  return JSON.stringify({ method, params: text });
}

function sentBody(index = 0): string {
  return node.requests[index]?.body.toString() ?? '';
}

describe('what the node is sent', () => {
  test('a single call is an object, with the raw bytes of its params and an id of ours', async () => {
    const params = '[ 1e400, -0, 12345678901234567890, {"b":1,"a":"\\u0041\\ud800"} ,"é"]';
    await send([call('eth_call', params)]);
    expect(sentBody()).toBe(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}`);
  });

  test('a call without params has none', async () => {
    await send([call('eth_blockNumber')]);
    expect(sentBody()).toBe('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}');
  });

  test('several calls are one batch, and the ids go on from request to request', async () => {
    await send([call('eth_chainId'), call('eth_call', '[]')]);
    await send([call('eth_chainId')]);
    expect(sentBody(0)).toBe(
      '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"eth_call","params":[]}]',
    );
    expect(sentBody(1)).toBe('{"jsonrpc":"2.0","id":3,"method":"eth_chainId"}');
  });

  test('a method name cannot leave its string', async () => {
    await send([call('eth_","params":[1],"x":"\ud800\n')]);
    const [received] = callsOf(Buffer.from(sentBody()));
    expect(Object.keys(received ?? {})).toEqual(['jsonrpc', 'id', 'method']);
  });

  test('nothing is sent for no calls, and more than a batch may have is a defect', async () => {
    expect(await send([])).toEqual([]);
    await expect(send(calls(101))).rejects.toThrow('101 calls');
    expect(node.requests).toHaveLength(0);
    expect(await send(calls(100))).toHaveLength(100);
  });
});

describe('equal calls', () => {
  test('are sent once, and each gets the response', async () => {
    const sent = [call('eth_call', '[1]'), call('eth_chainId'), call('eth_call', '[1]'), call('eth_chainId')];
    expect((await send(sent)).map(told)).toEqual(sent.map(own));
    expect(callsOf(Buffer.from(sentBody()))).toHaveLength(2);
  });

  test('are a single object if nothing else is left', async () => {
    const sent = [call('eth_chainId'), call('eth_chainId')];
    expect((await send(sent)).map(told)).toEqual(sent.map(own));
    expect(sentBody()).toBe('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
  });

  test.each([
    ['params that differ in one byte', call('eth_call', '[1]'), call('eth_call', '[1 ]')],
    ['no params and empty params', call('eth_call'), call('eth_call', '[]')],
    ['a method that ends like params', call('eth_a', '[1]'), call('eth_a[1]')],
    ['transactions', call('eth_sendRawTransaction', '["0x1"]'), call('eth_sendRawTransaction', '["0x1"]')],
  ])('are not: %s', async (_name, first, second) => {
    await send([first, second]);
    expect(callsOf(Buffer.from(sentBody()))).toHaveLength(2);
  });

  test('do not multiply a result beyond the largest response', async () => {
    const large = `"${'a'.repeat(MAX_RESPONSE_BYTES / 3)}"`;
    node.script(result(large));
    const responses = await send([call('eth_call'), call('eth_call'), call('eth_call'), call('eth_call')]);
    expect(responses.map((response) => response.kind)).toEqual(['result', 'result', 'failed', 'failed']);
    expect(told(responses[2] as UpstreamResponse)).toBe('upstream_response_too_large');
  });
});

describe('answers', () => {
  test.each([
    '1e400',
    '-0',
    '12345678901234567890',
    'null',
    'false',
    '{"b":1,"a":2,"1":3}',
    '"\\u0041\\ud800é"',
    '[ 1 , {"result":1,"id":9} ]',
  ])('a result keeps its bytes: %s', async (json) => {
    node.script(result(json));
    expect((await send([call('eth_call')])).map(told)).toEqual([json]);
    node.script(result(json));
    expect((await send(calls(2))).map(told)).toEqual([json, json]);
  });

  test('an error keeps its bytes', async () => {
    const error = '{ "message":"execution reverted","code":3, "data":"0x08c379a0" }';
    node.script(answering(() => ({ error })));
    expect((await send([call('eth_call')])).map(told)).toEqual([`error 3 ${error}`]);
  });

  test('results and errors mix in a batch', async () => {
    const error = '{"code":-32000,"message":"header not found"}';
    node.script(answering(({ id }) => (id === 2 ? { error } : { result: `${id}` })));
    expect((await send(calls(3))).map(told)).toEqual(['1', `error -32000 ${error}`, '3']);
  });
});

const MALFORMED = 'malformed_upstream_response';
const MISSING = 'no_upstream_response';
const UNAVAILABLE = 'upstream_unavailable';
const LIMITED = 'gateway_overloaded';
const NODE_ERROR = '{"code":-32700,"message":"parse error"}';

function arranged(arrange: (responses: readonly OutgoingResponse[]) => readonly OutgoingResponse[]): Reply {
  return answering(({ id }) => ({ result: `${id}` }), { arrange });
}

describe('a single call, when the node', () => {
  test.each<[string, Reply, string]>([
    ['closes the connection', closing, UNAVAILABLE],
    ['sends half a body', halfBody('{"jsonrpc":"2.0","id":1,"result":"0x1"}'), MALFORMED],
    ['sends HTML', body('<html>welcome</html>', 200, { 'content-type': 'text/html' }), MALFORMED],
    ['sends nothing', body(''), MALFORMED],
    ['sends invalid JSON', body('{"jsonrpc":"2.0","id":1,"result":"0x1"'), MALFORMED],
    ['adds bytes', body('{"jsonrpc":"2.0","id":1,"result":"0x1"}}'), MALFORMED],
    [
      'sends invalid UTF-8',
      body(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"\xff"}', 'latin1')),
      MALFORMED,
    ],
    ['sends neither result nor error', body('{"jsonrpc":"2.0","id":1}'), MALFORMED],
    ['sends an error that is a string', body('{"jsonrpc":"2.0","id":1,"error":"no"}'), MALFORMED],
    ['sends a number', body('1'), MALFORMED],
    ['sends a byte order mark', body('\ufeff{"jsonrpc":"2.0","id":1,"result":"0x1"}'), MALFORMED],
    ['sends a result twice', body('{"jsonrpc":"2.0","id":1,"result":1,"result":1}'), MALFORMED],
    ['sends a result and an error', body(`{"id":1,"result":1,"error":${NODE_ERROR}}`), MALFORMED],
    ['sends an error without a code', body('{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}'), MALFORMED],
    ['sends a code that is a fraction', body('{"id":1,"error":{"code":1.5,"message":"m"}}'), MALFORMED],
    ['sends an error without a message', body('{"id":1,"error":{"code":1}}'), MALFORMED],
    ['sends an array', body('[{"jsonrpc":"2.0","id":1,"result":"0x1"}]'), MALFORMED],
    ['sends a wrong id', body('{"jsonrpc":"2.0","id":2,"result":"0x1"}'), MALFORMED],
    ['sends a result with the id null', body('{"jsonrpc":"2.0","id":null,"result":"0x1"}'), MALFORMED],
    ['sends an error with a wrong id', body(`{"jsonrpc":"2.0","id":2,"error":${NODE_ERROR}}`), MALFORMED],
    ['redirects', body('', 302, { location: 'http://127.0.0.1:1/' }), MALFORMED],
    ['refuses with 401', body('unauthorized', 401), UNAVAILABLE],
    ['is limited with 429', body('slow down', 429), LIMITED],
    ['is limited with 402', body('', 402), LIMITED],
    ['breaks with 500', body('{"error":"oops"}', 500), UNAVAILABLE],
    ['breaks with 503', body('', 503), UNAVAILABLE],
    ['never ends', unbounded(), 'upstream_response_too_large'],
  ])('%s', async (_name, reply, reason) => {
    node.script(reply);
    expect((await send([call('eth_call')])).map(told)).toEqual([reason]);
    expect(node.requests).toHaveLength(1);
  });

  test('stalls', async () => {
    node.script(stalling);
    expect((await send([call('eth_call')], SHORT_MS)).map(told)).toEqual([MISSING]);
  });

  test.each([200, 400, 404, 500, 503])('answers its error with status %i', async (status) => {
    node.script(body(`{"jsonrpc":"2.0","id":1,"error":${NODE_ERROR}}`, status));
    expect((await send([call('eth_call')])).map(told)).toEqual([`error -32700 ${NODE_ERROR}`]);
  });

  test('answers its error with the id null', async () => {
    node.script(body(`{"jsonrpc":"2.0","id":null,"error":${NODE_ERROR}}`));
    expect((await send([call('eth_call')])).map(told)).toEqual([`error -32700 ${NODE_ERROR}`]);
  });

  test('repeats its response to an earlier request', async () => {
    const [first] = await send([call('eth_chainId')]);
    node.script(body('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
    const [second] = await send([call('eth_blockNumber')]);
    expect([first?.kind, told(second as UpstreamResponse)]).toEqual(['result', MALFORMED]);
  });
});

describe('a batch of three, when the node', () => {
  test.each<[string, Reply, readonly string[]]>([
    ['answers out of order', arranged((responses) => responses.toReversed()), ['1', '2', '3']],
    ['leaves one out', arranged((responses) => responses.toSpliced(1, 1)), ['1', MISSING, '3']],
    ['answers none', arranged(() => []), [MISSING, MISSING, MISSING]],
    [
      'answers one twice',
      arranged((responses) => [...responses, ...responses.slice(1, 2)]),
      ['1', MALFORMED, '3'],
    ],
    [
      'answers one more',
      arranged((responses) => [...responses, { id: 4, response: { result: '4' } }]),
      ['1', '2', '3'],
    ],
    [
      'changes an id',
      arranged((responses) => responses.map((one) => (one.id === 2 ? { ...one, id: 7 } : one))),
      ['1', MALFORMED, '3'],
    ],
    [
      'goes back to an earlier id',
      arranged((responses) => responses.map((one) => (one.id === 2 ? { ...one, id: 0 } : one))),
      ['1', MALFORMED, '3'],
    ],
    [
      'makes an id a string',
      arranged((responses) => responses.map((one) => (one.id === 2 ? { ...one, id: '2' } : one))),
      ['1', MALFORMED, '3'],
    ],
    [
      'gives one the id of another',
      arranged((responses) => responses.map((one) => (one.id === 2 ? { ...one, id: 1 } : one))),
      [MALFORMED, MISSING, '3'],
    ],
    [
      'answers one with neither result nor error',
      body(
        '[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2},{"jsonrpc":"2.0","id":3,"result":3}]',
      ),
      ['1', MALFORMED, '3'],
    ],
    ['sends one result', body('{"jsonrpc":"2.0","id":1,"result":1}'), [MALFORMED, MALFORMED, MALFORMED]],
    [
      'sends one error',
      body(`{"jsonrpc":"2.0","id":null,"error":${NODE_ERROR}}`),
      Array(3).fill(`error -32700 ${NODE_ERROR}`),
    ],
    ['sends HTML', body('<html>'), [MALFORMED, MALFORMED, MALFORMED]],
    [
      'cuts its array short',
      body('[{"jsonrpc":"2.0","id":1,"result":1},'),
      [MALFORMED, MALFORMED, MALFORMED],
    ],
    ['is limited with 429', body('[]', 429), [LIMITED, LIMITED, LIMITED]],
    ['closes the connection', closing, [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE]],
  ])('%s', async (_name, reply, expected) => {
    node.script(reply);
    expect((await send(calls(3))).map(told)).toEqual(expected);
  });

  test('sends one large error, it does not multiply beyond the largest response', async () => {
    const data = 'a'.repeat(MAX_RESPONSE_BYTES / 2);
    node.script(body(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no","data":"${data}"}}`));
    const responses = await send(calls(3));
    expect(responses.map((response) => response.kind)).toEqual(['error', 'failed', 'failed']);
  });
});

/** Behaviour of a node for the response to one call. */
type Fate = 'kept' | 'dropped' | 'doubled' | 'renamed' | 'voided';

function fateful(fates: readonly Fate[], responses: readonly OutgoingResponse[]): string[] {
  return responses.flatMap((response, index) => {
    const text = renderResponse(response);
    switch (fates[index]) {
      case 'dropped':
        return [];
      case 'doubled':
        return [text, text];
      case 'renamed':
        return [renderResponse({ ...response, id: 1_000_000 + index })];
      case 'voided':
        return [`{"jsonrpc":"2.0","id":${JSON.stringify(response.id)}}`];
      default:
        return [text];
    }
  });
}

test('no order, omission or repetition gives a call the response of another', async () => {
  const fate = fc.constantFrom<Fate>('kept', 'kept', 'kept', 'dropped', 'doubled', 'renamed', 'voided');
  const arbitrary = fc
    .array(fc.record({ fate, rank: fc.integer(), block: fc.nat(40) }), { minLength: 2, maxLength: 100 })
    .filter((plan) => new Set(plan.map(({ block }) => block)).size > 1);
  await fc.assert(
    fc.asyncProperty(arbitrary, async (plan) => {
      const blocks = [...new Set(plan.map(({ block }) => block))];
      const fates = blocks.map((block) => plan.find((one) => one.block === block)?.fate ?? 'kept');
      const fake: NodeConnection = {
        maxResponseBytes: MAX_RESPONSE_BYTES,
        reserveIds: () => 501,
        close: () => {},
        post: async (request) => {
          const responses = callsOf(request.body).map((one) => ({ id: one.id, response: echo(one) }));
          const shuffled = fateful(fates, responses)
            .map((text, index) => ({ text, rank: plan[index % plan.length]?.rank ?? 0 }))
            .sort((one, other) => one.rank - other.rank);
          return { status: 200, body: Buffer.from(`[${shuffled.map(({ text }) => text).join(',')}]`) };
        },
      };
      const sent = plan.map(({ block }) => call('eth_getBlockByNumber', `[${block}]`));
      const responses = await dispatch(sent, singleNode(fake, { now: () => 0 }), AMPLE_MS);
      const strays = fates.includes('renamed');
      sent.forEach((one, index) => {
        const expected: Record<Fate, string> = {
          kept: own(one),
          dropped: strays ? MALFORMED : (MISSING satisfies Reason),
          doubled: MALFORMED,
          renamed: MALFORMED,
          voided: MALFORMED,
        };
        const fateOfOne = fates[blocks.indexOf(plan[index]?.block ?? -1)] ?? 'kept';
        expect(told(responses[index] as UpstreamResponse)).toBe(expected[fateOfOne]);
      });
    }),
    { numRuns: 500 },
  );
});
