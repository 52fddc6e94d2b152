import fc from 'fast-check';
import { scanResponses } from '../../../lambdas/shared/jsonrpc/match-responses.ts';
import { MAX_RESPONSE_DEPTH } from '../../../lambdas/shared/jsonrpc/scan-json.ts';

type Scanned = NonNullable<ReturnType<typeof scanResponses>>['entries'][number];

/** A response in short: `id result`, `id !code message bytes`, or `id ?` for a malformed one. */
function describeAnswer({ id, result, error }: Scanned): string {
  if (error !== undefined) return `${id} !${error.code} ${error.message} ${Buffer.from(error.bytes)}`;
  return result === undefined ? `${id} ?` : `${id} ${Buffer.from(result)}`;
}

function scan(body: string | Uint8Array): string | string[] | undefined {
  const scanned = scanResponses(Buffer.from(body));
  if (scanned === undefined) return undefined;
  const responses = scanned.entries.map(describeAnswer);
  return scanned.batch ? responses : (responses[0] as string);
}

const answerOf = (rest: string) => `{"jsonrpc":"2.0","id":3,${rest}}`;
const ERROR = '{"code":-32000,"message":"no \\"state\\"","data":{"x":1e400}}';

describe('a response that is not JSON-RPC', () => {
  test.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['HTML', '<html><body>502</body></html>'],
    ['half a body', answerOf('"result":"0x12').slice(0, -1)],
    ['trailing bytes', `${answerOf('"result":1')}x`],
    ['two objects', `${answerOf('"result":1')}${answerOf('"result":1')}`],
    ['a byte order mark', `\ufeff${answerOf('"result":1')}`],
    ['not UTF-8', Buffer.from(answerOf('"result":"\xff"'), 'latin1')],
    ['a string', '"ok"'],
    ['null', 'null'],
    ['malformed in one answer of a batch', `[${answerOf('"result":1')},{"id":}]`],
    [
      'nested too deep',
      `${answerOf(`"result":${'['.repeat(MAX_RESPONSE_DEPTH)}${']'.repeat(MAX_RESPONSE_DEPTH)}`)}`,
    ],
  ])('is malformed: %s', (_, body) => {
    expect(scan(body)).toBeUndefined();
  });
});

describe('an answer', () => {
  test.each<[string, string]>([
    [answerOf('"result":"0x1"'), '3 "0x1"'],
    [answerOf('"result": {"b":1.0, "a":[]} '), '3 {"b":1.0, "a":[]}'],
    [answerOf('"result":null'), '3 null'],
    [answerOf('"result":1,"error":null'), '3 1'],
    [answerOf('"result":null,"error":null'), '3 null'],
    [answerOf(`"error":${ERROR}`), `3 !-32000 no "state" ${ERROR}`],
    [answerOf(`"result":null,"error":${ERROR}`), `3 !-32000 no "state" ${ERROR}`],
    [answerOf('"error":{"message":"","code":4444}'), '3 !4444  {"message":"","code":4444}'],
    ['{"\\u0069d":0,"r\\u0065sult":[]}', '0 []'],
    ['{"result":1}', 'undefined 1'],
  ])('is read: %s', (body, expected) => {
    expect(scan(body)).toBe(expected);
    expect(scan(`[ ${body} , ${body}]`)).toEqual([expected, expected]);
  });

  test.each([
    '{}',
    answerOf('"error":null'),
    answerOf('"results":1'),
    answerOf(`"result":1,"error":${ERROR}`),
  ])('is malformed without exactly one of result and error: %s', (body) => {
    expect(scan(body)).toMatch(/ \?$/);
  });

  test.each([
    '{"code":1,"code":1,"message":"m"}',
    '{"code":1}',
    '{"message":"m"}',
    '{"code":"1","message":"m"}',
    '{"code":1.5,"message":"m"}',
    '{"code":1e3,"message":"m"}',
    '{"code":12345678901234567890,"message":"m"}',
    '{"code":1,"message":null}',
    '"m"',
    '[]',
    'false',
    '0',
  ])('is malformed with the error %s', (error) => {
    expect(scan(answerOf(`"error":${error}`))).toBe('3 ?');
  });

  test.each(['"id":3', '"result":1', '"jsonrpc":"2.0"', '"x":1,"x":2', '"\\u0069d":3'])(
    'is malformed with a member twice: %s',
    (member) => {
      expect(scan(answerOf(`"result":1,${member}`))).toBe('undefined ?');
    },
  );

  test.each(['"3"', 'null', '-1', '3.0', '1e1', '[]', '12345678901234567890'])(
    'has no id of ours: %s',
    (id) => {
      expect(scan(`{"id":${id},"result":1}`)).toBe('undefined 1');
    },
  );
});

test('a batch keeps its order and the places of what is no response', () => {
  expect(scan('[]')).toEqual([]);
  expect(scan(`[{"id":2,"result":1},7,[],{"id":1,"result":2}]`)).toEqual([
    '2 1',
    'undefined ?',
    'undefined ?',
    '1 2',
  ]);
});

test('a call trace of 1,024 frames passes', () => {
  const trace = '{"type":"CALL","calls":['.repeat(1_024) + ']}'.repeat(1_024);
  expect(scan(answerOf(`"result":${trace}`))).toBe(`3 ${trace}`);
});

test('results keep every byte', () => {
  fc.assert(
    fc.property(fc.nat(), fc.jsonValue(), fc.constantFrom('', ' ', '\n\t'), (id, value, space) => {
      const result = JSON.stringify(value, undefined, space);
      expect(
        scan(`${space}{"jsonrpc":"2.0",${space}"id":${id},"result":${space}${result}${space}}${space}`),
      ).toBe(`${id} ${result}`);
    }),
  );
});
