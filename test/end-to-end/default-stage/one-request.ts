import { untilTrue } from '../../support/until-true.ts';
import type { RunningGateway } from '../running-gateway.ts';

const LOGGED_WITHIN_MS = 120_000;
const POLL_MS = 50;

let gateway: RunningGateway;

interface LogLine {
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

/** The lines of all logs about a request, as soon as there are so many. */
async function linesAbout(requestId: string, count: number): Promise<readonly LogLine[]> {
  let lines: readonly LogLine[] = [];
  await untilTrue(
    () => {
      const all = gateway.logs().split('\n');
      lines = all
        .filter((line) => line.includes(requestId) && line.startsWith('{'))
        .map((line) => JSON.parse(line) as LogLine)
        .filter((line) => line.requestId === requestId);
      return lines.length >= count;
    },
    { withinMs: LOGGED_WITHIN_MS, everyMs: POLL_MS, failure: () => `only ${lines.length} lines` },
  );
  return lines;
}

/** The logs of a run say of a request where its time went. */
export function describeOneRequest(running: () => RunningGateway): void {
  beforeAll(() => {
    gateway = running();
  });

  test('the logs tell of one request where its time went: gateway, function, DynamoDB, node', async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest"]}',
    });
    const requestId = response.headers.get('x-request-id') ?? '';
    expect(requestId).not.toBe('');
    const lines = await linesAbout(requestId, 2);
    const access = lines.find((line) => 'integrationLatencyMs' in line);
    const work = lines.find((line) => 'admissionMs' in line);
    const number = expect.any(Number);
    expect(work).toMatchObject({
      Chain: 'example_mainnet',
      MethodClass: 'read',
      status: 200,
      account: gateway.gatewayJson.demo_account,
      admissionMs: number,
      chargeMs: number,
      Latency: number,
    });
    // A node on the same machine can take less than a millisecond, which rounds to 0.
    const { admissionMs, UpstreamLatency, Latency } = work as Record<string, number>;
    expect((admissionMs ?? 0) + (UpstreamLatency ?? 0)).toBeLessThanOrEqual(Latency ?? 0);
    expect(access).toMatchObject({ status: expect.anything(), resource: '/v1' });
    expect(Number(access?.latencyMs)).toBeGreaterThanOrEqual(Latency ?? 0);
  });
}
