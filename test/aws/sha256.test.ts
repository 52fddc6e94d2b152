import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Sha256 } from '../../lambdas/shared/aws/client-settings.ts';

const bytes = fc.uint8Array({ maxLength: 200 });
const secret = fc.oneof(fc.string({ minLength: 1 }), bytes);

test('is what Node says, with a secret and without, and begins anew', async () => {
  const property = fc.asyncProperty(secret, bytes, bytes, async (key, one, other) => {
    const [plain, keyed] = [new Sha256(), new Sha256(key)];
    for (const data of [one, other]) {
      plain.update(data);
      keyed.update(data);
      expect(Buffer.from(await plain.digest())).toEqual(createHash('sha256').update(data).digest());
      expect(Buffer.from(await keyed.digest())).toEqual(createHmac('sha256', key).update(data).digest());
      plain.reset();
      keyed.reset();
    }
  });
  await fc.assert(property);
});

test('takes bytes of any kind as a secret', async () => {
  const key = Uint8Array.from({ length: 40 }, (_, index) => index);
  const expected = createHmac('sha256', key).update('data').digest();
  for (const form of [key, key.buffer, new DataView(key.buffer), Buffer.from(key)]) {
    const hash = new Sha256(form);
    hash.update(Buffer.from('data'));
    expect(Buffer.from(await hash.digest())).toEqual(expected);
  }
});
