import { setTimeout as sleep } from 'node:timers/promises';
import {
  answering,
  body,
  closing,
  halfBody,
  rawBytes,
  result,
  stalling,
  trickling,
  unbounded,
} from '../../nodes/replies.ts';
import type { Reply, ScriptedNode } from '../../nodes/scripted-node.ts';
import { openAccount } from '../operator/account.ts';
import { chargedCu } from '../operator/charged-cu.ts';
import type { RunningGateway } from '../running-gateway.ts';

/** Of the chain: a result of half as many bytes in hex digits passes. */
export const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

interface JsonBody {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const error = (code: number, message: string) =>
  answering(() => ({ error: JSON.stringify({ code, message }) }));

/** A node that fails in every way, behind the running stack: clients get an error of the catalogue, and no bill. */
export function describeMisbehavingNode(running: () => RunningGateway, scripted: () => ScriptedNode): void {
  let node: ScriptedNode;
  let gateway: RunningGateway;
  let account: string;
  let apiKey: string;

  beforeAll(async () => {
    [gateway, node] = [running(), scripted()];
    ({ account, apiKey } = await openAccount(gateway));
  });

  const send = (json: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey, ...headers },
      body: json,
    });
  // Sending is not repeated, so that one scripted reply is what the call meets.
  const call = '{"jsonrpc":"2.0","id":"x","method":"eth_sendRawTransaction","params":["0x00"]}';

  test.each<[string, Reply, number, string]>([
    ['closes the connection', closing, -32000, 'upstream unavailable'],
    ['fails', body('oops', 500), -32000, 'upstream unavailable'],
    ['stalls', stalling, -32603, 'no response from upstream'],
    ['trickles', trickling(50), -32603, 'no response from upstream'],
    ['sends half a body', halfBody('{"jsonrpc":"2.0",'), -32603, 'malformed upstream response'],
    ['sends no HTTP', rawBytes('hello\r\n\r\n'), -32603, 'malformed upstream response'],
    ['sends HTML', body('<html></html>'), -32603, 'malformed upstream response'],
    [
      'answers another call',
      result('"0x1"', { arrange: (responses) => responses.map((one) => ({ ...one, id: 999_999 })) }),
      -32603,
      'malformed upstream response',
    ],
    ['redirects', body('', 302, { location: 'http://127.0.0.1:1/' }), -32603, 'malformed upstream response'],
    ['declares 10 GB', unbounded(10 * 1024 ** 3), -32000, 'upstream response too large'],
    ['sends without an end', unbounded(), -32000, 'upstream response too large'],
  ])('that %s is answered for, unbilled', async (_, reply, code, message) => {
    node.script(reply);
    const response = await send(call);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 'x', error: { code, message } });
    expect(response.headers.get('x-cu-cost')).toBe('30');
    expect(response.headers.get('x-cu-billed')).toBe('0');
  });

  test.each<[number, string, string]>([
    [-32602, 'invalid params', '30'],
    [3, 'execution reverted', '30'],
    [-32000, 'insufficient funds for gas * price + value', '30'],
    [-32000, 'historical state 0xab is not available', '0'],
    [4444, 'pruned history unavailable', '0'],
    [-32002, 'resource unavailable', '0'],
    [-32003, 'transaction rejected', '0'],
    [-32600, 'the node does not like it', '0'],
  ])('whose error is %s (%s) is passed on, billed %s', async (code, message, billed) => {
    node.script(error(code, message));
    const response = await send(call);
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 'x', error: { code, message } });
    expect(response.headers.get('x-cu-billed')).toBe(billed);
  });

  test('that answers a batch out of order, in part and too often is answered for call by call', async () => {
    const batch = JSON.stringify(
      ['eth_chainId', 'eth_gasPrice', 'eth_accounts', 'eth_syncing'].map((method, id) => ({
        jsonrpc: '2.0',
        id: id % 2,
        method,
      })),
    );
    node.script(
      answering(({ method }) => ({ result: `"${method}"` }), {
        arrange: ([first, , third, fourth]) =>
          [fourth, third, first, first].filter((one) => one !== undefined),
      }),
    );
    const response = await send(batch);
    const responses = (await response.json()) as JsonBody[];
    expect(responses.map(({ id }) => id)).toEqual([0, 1, 0, 1]);
    expect(responses[0]?.error?.message).toBe('malformed upstream response');
    expect(responses[1]?.error?.code).toBe(-32603);
    expect(responses[2]?.result).toBe('eth_accounts');
    expect(responses[3]?.result).toBe('eth_syncing');
    expect(response.headers.get('x-cu-billed')).toBe('20');
  });

  test('passes bytes untouched, both ways', async () => {
    const params = '[ {"b":1, "a":1e400}, -0, 12345678901234567890, "\\u0041\\ud800" ]';
    const resultText = '{"z":1e400,"a":-0,"n":12345678901234567890,"s":"\\u0041/\\/"}';
    node.script(result(resultText));
    const response = await send(`{"params":${params},"id":1.0,"method":"eth_foo","jsonrpc":"2.0"}`);
    expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":1.0,"result":${resultText}}`);
    const received = node.requests.at(-1);
    expect(received?.body.toString()).toContain(`"params":${params}`);
    expect(Object.keys(received?.headers ?? {}).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host'].sort(),
    );
    expect(JSON.stringify(received)).not.toContain('rgw_');
  });

  test('passes a result of many megabytes, plain and compressed', async () => {
    const large = `"0x${'ab'.repeat(MAX_RESPONSE_BYTES / 2 - 1_000)}"`;
    for (const encoding of ['identity', 'gzip', 'br']) {
      node.script(result(large));
      const response = await send('{"jsonrpc":"2.0","id":1,"method":"eth_foo","params":["large"]}', {
        'accept-encoding': encoding,
      });
      expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":1,"result":${large}}`);
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    }
  });

  test('that is limited has not answered: the client waits, unbilled, and is served when the time is over', async () => {
    node.script(body('{"error":{"code":429,"message":"Too Many Requests"}}', 429, { 'retry-after': '2' }));
    const response = await send(call);
    expect(response.status).toBe(200);
    const { error: told } = (await response.json()) as { error: Record<string, unknown> };
    expect(told).toEqual({
      code: -32005,
      message: 'gateway overloaded, retry later',
      data: {
        reason: 'gateway_overloaded',
        retryable: true,
        rule: 'upstreams_limited',
        retry_after_ms: expect.any(Number),
      },
    });
    expect(response.headers.get('x-cu-cost')).toBe('30');
    expect(response.headers.get('x-cu-billed')).toBe('0');
    let last: JsonBody | undefined;
    for (let asked = 0; asked < 60 && last?.result === undefined; asked++) {
      await sleep(250);
      last = (await (await send(call)).json()) as JsonBody;
    }
    expect(last?.result).toBe('0x1');
  });

  test('was charged for what it answered, and for nothing else', async () => {
    const expected = 3 * 30 + 20 + 10 + 3 * 10 + 30;
    expect(await chargedCu(gateway, account, expected)).toBe(expected);
  });
}
