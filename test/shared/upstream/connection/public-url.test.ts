/** A URL that leads into a private network is none of an upstream. */
import fc from 'fast-check';
import { isPublicHttps } from '../../../../lambdas/shared/upstream/connection/public-url.ts';

test.each([
  'https://node.example',
  'https://node.example:8545/v2/key?x=1',
  'https://8.8.8.8/',
  'https://172.15.255.255',
  'https://172.32.0.0',
  'https://[2001:4860:4860::8888]',
  'https://localhost.example',
])('%s is public', (url) => expect(isPublicHttps(url)).toBe(true));

test.each([
  '',
  'node.example',
  'http://node.example',
  'wss://node.example',
  'https://localhost',
  'https://LOCALHOST:1',
  'https://localhost.',
  'https://node',
  'https://db.internal',
  'https://printer.local',
  'https://10.0.0.1',
  'https://100.64.0.1',
  'https://127.1.2.3',
  'https://169.254.169.254/latest/meta-data',
  'https://172.16.0.1',
  'https://172.31.255.255',
  'https://192.168.0.1',
  'https://0.0.0.0',
  'https://255.255.255.255',
  'https://2130706433',
  'https://0x7f.1',
  'https://0177.0.0.1',
  'https://[::1]',
  'https://[::]',
  'https://[::ffff:127.0.0.1]',
  'https://[::ffff:a9fe:a9fe]',
  'https://[::127.0.0.1]',
  'https://[fd12::1]',
  'https://[fe80::1]',
])('%s is not', (url) => expect(isPublicHttps(url)).toBe(false));

test('an address is judged alike however it is written', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const isPublic = isPublicHttps(`https://${address}`);
      expect(isPublicHttps(`https://${((a * 256 + b) * 256 + c) * 256 + d}`)).toBe(isPublic);
      const mapped = `https://[::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`;
      expect(isPublicHttps(mapped)).toBe(isPublic);
    }),
  );
});
