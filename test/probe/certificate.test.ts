import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { runProbe } from '../../lambdas/probe/handler.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

const DAY_MS = 86_400_000;
const HEAD = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x10' });

/** What the probe tells of a stage with a certificate that a trusted authority signed, which ends so many days from now. */
async function probedWith(days: number) {
  const now = Date.now();
  const certificate = selfSignedCertificate(
    'localhost',
    new Date(now - 30 * DAY_MS),
    new Date(now + days * DAY_MS),
  );
  const server = createServer(certificate, (_request, response) => response.end(HEAD));
  const trusted = getCACertificates('default');
  setDefaultCACertificates([certificate.cert]);
  const telemetry = new RecordedTelemetry();
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await runProbe({
      url: `https://localhost:${(server.address() as AddressInfo).port}`,
      dataChain: undefined,
      readKey: async () => `rgw_${'a'.repeat(64)}`,
      fetch,
      clock: { now: () => 0 },
      telemetry,
    });
  } finally {
    setDefaultCACertificates(trusted);
    server.closeAllConnections();
    server.close();
  }
  return { values: telemetry.metrics(), errors: telemetry.logged.map(({ error }) => error) };
}

test('a stage is reached until the day on which its certificate expires, and the log says why it no longer is', async () => {
  expect(await probedWith(1)).toEqual({ values: [{ RpcProbeFailures: 0 }], errors: [] });
  expect(await probedWith(-1)).toEqual({ values: [{ RpcProbeFailures: 1 }], errors: ['CERT_HAS_EXPIRED'] });
});
