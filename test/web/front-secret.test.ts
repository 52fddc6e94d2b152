import { cacheSecrets } from '../../lambdas/shared/aws/cached-secrets.ts';
import { checkFrontSecret } from '../../lambdas/web/front-secret.ts';

const ARN = 'arn:secret';
const [OLD, NEW, LATER] = ['a', 'b', 'c'].map((letter) => letter.repeat(48)) as [string, string, string];
const MINUTE_MS = 60_000;

/** The secret of a stage whose reads are kept as a function keeps them. */
function secretOf(fields: object) {
  let now = 0;
  let text = JSON.stringify(fields);
  let reads = 0;
  const read = cacheSecrets(
    async () => {
      reads += 1;
      return text;
    },
    { clock: { now: () => now }, log: () => {} },
  );
  const isFromFront = checkFrontSecret(ARN, read);
  return {
    isFromFront,
    reads: () => reads,
    put: (changed: object) => {
      text = JSON.stringify(changed);
    },
    pass: (minutes: number) => {
      now += minutes * MINUTE_MS;
    },
  };
}

test('only the secret is taken, and an empty or short field is none', async () => {
  const { isFromFront } = secretOf({ a: OLD, b: '', c: 'short' });
  expect(await isFromFront(OLD)).toBe(true);
  for (const wrong of ['', '-', 'short', OLD.slice(1), `${OLD}a`, NEW, OLD.toUpperCase()])
    expect(await isFromFront(wrong)).toBe(false);
});

test('both secrets are taken while one is renewed, and the old one no longer when it is replaced', async () => {
  const { isFromFront, put, pass, reads } = secretOf({ a: OLD, b: '' });
  expect(await isFromFront(OLD)).toBe(true);
  put({ a: OLD, b: NEW });
  // Longer than any process goes by what it has read.
  pass(16);
  expect([await isFromFront(OLD), await isFromFront(NEW)]).toEqual([true, true]);
  // The API sends the new one by now.
  put({ a: LATER, b: NEW });
  pass(16);
  expect([await isFromFront(OLD), await isFromFront(NEW), await isFromFront(LATER)]).toEqual([
    false,
    true,
    true,
  ]);
  expect(reads()).toBe(3);
});

test('a secret that cannot be read is an error, and no refusal', async () => {
  const isFromFront = checkFrontSecret(ARN, () => Promise.reject(new Error('away')));
  await expect(isFromFront(OLD)).rejects.toThrow('away');
});
