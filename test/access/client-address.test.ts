/** The address of a client is that which the operator's proxy proves, and no header of a client. */
import { createHash } from 'node:crypto';
import { clientAddress } from '../../lambdas/access/middlewares.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const TRUSTED = {
  header: 'x-client-address',
  proofHeader: 'x-proxy-proof',
  proofSha256: [sha256('old'), sha256('new')],
};
const PROXY = '203.0.113.1';
const from = (headers: Readonly<Record<string, string>>, settings: typeof TRUSTED | undefined = TRUSTED) =>
  clientAddress({ headers, sourceIp: PROXY }, settings);

test.each(['old', 'new'])('the proxy names its client, by the proof "%s"', (proof) => {
  expect(from({ 'X-Client-Address': ' 192.0.2.7 ', 'X-Proxy-Proof': proof })).toBe('192.0.2.7');
  expect(from({ 'x-client-address': '2001:db8::7', 'x-proxy-proof': proof })).toBe('2001:db8::7');
});

test.each([
  ['without a proof', {}],
  ['with an empty one', { 'x-proxy-proof': '' }],
  ['with a wrong one', { 'x-proxy-proof': 'new ' }],
  ['with the digest', { 'x-proxy-proof': sha256('new') }],
  ['with the proof elsewhere', { 'x-proxy-proof2': 'new', authorization: 'new' }],
  ['with a proof that is not latin', { 'x-proxy-proof': '\u{1f600}' }],
])('a client that sends the header itself gains nothing: %s', (_, headers) => {
  const forged = { 'x-client-address': '192.0.2.7', 'x-forwarded-for': '192.0.2.7' };
  expect(from({ ...forged, ...headers })).toBe(PROXY);
});

test('a proxy that names no client is not the client itself', () => {
  expect(from({ 'x-proxy-proof': 'new' })).toBeUndefined();
});

test('a stage that says nothing reads no header', () => {
  expect(
    clientAddress({ headers: { 'x-client-address': '192.0.2.7', 'x-proxy-proof': 'new' }, sourceIp: PROXY }),
  ).toBe(PROXY);
});
