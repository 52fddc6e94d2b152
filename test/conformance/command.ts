import { runScript } from '../end-to-end/running-gateway.ts';
import { listen } from '../support/listen.ts';
import { idsOf } from './outcomes.ts';
import { CLAUSES } from './run-conformance.ts';

/** The command says of a gateway what differs, and explains itself where it names no gateway. */
export function testCommand(): void {
  test('no two clauses have one id', () => {
    expect(new Set(CLAUSES.map(({ id }) => id)).size).toBe(CLAUSES.length);
  });

  test('what holds to nothing differs in every clause that can be seen', async () => {
    const paths: string[] = [];
    const { url, close } = await listen((request, response) => {
      paths.push(request.url ?? '');
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    });
    const key = `rgw_${'1'.repeat(64)}`;
    const result = await runScript('conformance', ['--url', `${url}/v1/`, '--key', key, '--chain', 'a']);
    await close();
    // What it does not do wrong: it answers, and it says nothing of compute units.
    expect(idsOf(result, 'holds')).toEqual(['service.2', 'authentication.4']);
    expect(idsOf(result, 'differs').length).toBeGreaterThan(40);
    expect(result.code).toBe(1);
    // The version, which this URL ends in, is not asked for twice.
    expect(paths).toContain('/v1/status');
    expect(paths.filter((path) => path.startsWith('/v1/v1'))).toEqual([]);
  });

  test('a command that names no gateway is explained', async () => {
    const { code, stdout } = await runScript('conformance', ['--url', 'http://127.0.0.1:1']);
    expect([code, stdout]).toEqual([2, expect.stringContaining('--key')]);
  });
}
