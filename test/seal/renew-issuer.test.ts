import { createPrivateKey, createPublicKey } from 'node:crypto';
import { renewIssuer } from '../../lambdas/seal/renew-issuer.ts';
import {
  certificateKey,
  type IssuerSecret,
  isCertified,
  isGoodAt,
  LATEST_CERTIFICATE,
  parseCertificate,
} from '../../lambdas/shared/bill/certificate.ts';
import { clockAt } from '../settlement/settlement-fixture.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';

const clock = clockAt('2026-11-20T10:15:00Z');
const signer = memorySigner();
let heads: MemoryObjects;
let secrets: IssuerSecret[];

beforeEach(() => {
  clock.time = Date.parse('2026-11-20T10:15:00Z');
  heads = new MemoryObjects();
  secrets = [];
});

const keep = async (text: string) => {
  secrets.push(JSON.parse(text));
};
const books = (changed: Partial<Parameters<typeof renewIssuer>[0]> = {}) => ({
  clock,
  heads,
  signer,
  writeIssuer: keep,
  ...changed,
});

/** What the secret holds last, after everything about it was checked. */
async function newest() {
  const { private_key, certificate: signed } = secrets.at(-1) as IssuerSecret;
  const certificate = parseCertificate(signed.certificate);
  if (certificate === undefined) throw new Error('the secret has no certificate');
  expect([signed.key, isCertified(signed)]).toEqual([signer.key, true]);
  const key = createPrivateKey({ key: Buffer.from(private_key, 'base64'), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  expect([key.asymmetricKeyType, publicKey.toString('base64')]).toEqual(['ed25519', certificate.key]);
  for (const place of [LATEST_CERTIFICATE, certificateKey(certificate)])
    expect(JSON.parse(String(await heads.get(place)))).toEqual(signed);
  return certificate;
}

test('the first run of a day makes a key for it and the next, and publishes its certificate', async () => {
  await renewIssuer(books());
  expect(await newest()).toMatchObject({ day: '2026-11-20', revision: 1 });
  clock.time = Date.parse('2026-11-20T23:59:59Z');
  expect(await renewIssuer(books())).toBeUndefined();
  expect(secrets).toHaveLength(1);
  clock.time += 1_000;
  await renewIssuer(books());
  expect(await newest()).toMatchObject({ day: '2026-11-21', revision: 1 });
  expect(secrets[0]?.certificate).not.toEqual(secrets[1]?.certificate);
});

test('a key is good from the begin of its day to the end of the next', async () => {
  const certificate = { day: '2026-11-20', revision: 1, key: '' };
  const goodAt = (time: string) => isGoodAt(certificate, Date.parse(time));
  expect(['2026-11-20T00:00:00.000Z', '2026-11-21T23:59:59.999Z'].map(goodAt)).toEqual([true, true]);
  expect(['2026-11-19T23:59:59.999Z', '2026-11-22T00:00:00.000Z'].map(goodAt)).toEqual([false, false]);
});

test('a run that is stopped leaves a certificate that nothing signs with; the next makes another', async () => {
  const writeIssuer = () => Promise.reject(new Error('Secrets Manager is away'));
  await expect(renewIssuer(books({ writeIssuer }))).rejects.toThrow('away');
  expect(await heads.get(LATEST_CERTIFICATE)).toBeUndefined();
  await renewIssuer(books());
  expect(await newest()).toMatchObject({ day: '2026-11-20', revision: 2 });
});

test('of two runs at once each has a certificate of its own', async () => {
  await Promise.all([renewIssuer(books()), renewIssuer(books())]);
  const revisions = secrets.map(({ certificate }) => parseCertificate(certificate.certificate)?.revision);
  expect(revisions.sort()).toEqual([1, 2]);
});

test('a new key that is asked for withdraws those before', async () => {
  await renewIssuer(books());
  expect((await newest()).withdraws).toBeUndefined();
  await renewIssuer(books(), true);
  expect(await newest()).toMatchObject({ day: '2026-11-20', revision: 2, withdraws: true });
});

test('a signature of another key is not published', async () => {
  const other = { publicKey: signer.publicKey, sign: memorySigner().sign };
  await expect(renewIssuer(books({ signer: other }))).rejects.toThrow('not one of the key');
  expect([heads.size, secrets]).toEqual([0, []]);
});

test('a day takes a hundred certificates, and no more', async () => {
  for (let revision = 1; revision <= 100; revision += 1)
    await heads.put(certificateKey({ day: '2026-11-20', revision }), '');
  await expect(renewIssuer(books())).rejects.toThrow('day 2026-11-20 has 100 certificates');
});
