import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { createSigner } from '../../lambdas/shared/aws/sign-post.ts';

const text = fc.string({ minLength: 1, maxLength: 40 });
const credentials = fc.record(
  { accessKeyId: text, secretAccessKey: text, sessionToken: fc.stringMatching(/^\w{1,40}$/) },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const HEADERS = {
  host: 'dynamodb.eu-west-1.amazonaws.com',
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.GetItem',
};

test('a signature is the one of the SDK, for any credentials, body and day', async () => {
  const sign = createSigner('eu-west-1', 'dynamodb');
  const property = fc.asyncProperty(
    fc.array(
      fc.tuple(
        credentials,
        fc.string(),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
      ),
    ),
    async (requests) => {
      for (const [held, body, now] of requests) {
        const client = new DynamoDBClient({ region: 'eu-west-1', credentials: held });
        const request = { protocol: 'https:', hostname: HEADERS.host, method: 'POST', path: '/', query: {} };
        const signer = await client.config.signer();
        const theirs = await signer.sign({ ...request, headers: HEADERS, body }, { signingDate: now });
        const { authorization, ...headers } = sign(HEADERS, body, held, now);
        // The SDK names the digest of the body in a header too, which no service but S3 asks for.
        const own = sign({ ...HEADERS, 'x-amz-content-sha256': digestIn(theirs.headers) }, body, held, now);
        expect(own).toEqual(theirs.headers);
        expect(headers).toEqual({
          ...theirs.headers,
          authorization: undefined,
          'x-amz-content-sha256': undefined,
        });
        expect(authorization).toMatch(/SignedHeaders=content-type;host;x-amz-date;.*Signature=[0-9a-f]{64}$/);
      }
    },
  );
  await fc.assert(property);
});

function digestIn(headers: Readonly<Record<string, string>>): string {
  return headers['x-amz-content-sha256'] ?? '';
}
