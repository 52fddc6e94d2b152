/** A body is one call or a batch exactly where every JSON parser reads it so, byte for byte. */
import fc from 'fast-check';
import { parseRequest } from '../../../lambdas/rpc/request/parse-calls.ts';
import { MAX_BATCH_CALLS, MAX_BODY_BYTES, type ParsedCall } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { MAX_JSON_DEPTH } from '../../../lambdas/shared/jsonrpc/scan-json.ts';
import { anyText } from '../../support/any-text.ts';

const RUNS = 2_000;
const MANY = { rule: 'too_many_members', max_members: 64 };
const GOOD = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}';

/** A parsed call in short: `id method params`, or `id !reason`. */
function describeCall(parsed: ParsedCall): string {
  if ('refused' in parsed) return `${Buffer.from(parsed.refused.id)} !${parsed.refused.error.reason}`;
  const { id, method, params } = parsed.call;
  return `${Buffer.from(id)} ${method}${params === undefined ? '' : ` ${Buffer.from(params)}`}`;
}

/** A parsed request in short: a refusal of the whole, one call, or a list of calls. */
function parse(body: string | Uint8Array): string | string[] {
  const parsed = parseRequest(Buffer.from(body));
  if ('refused' in parsed) return `!${parsed.refused.reason}`;
  const calls = parsed.calls.map(describeCall);
  return parsed.batch ? calls : (calls[0] as string);
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** The rule that a call breaks, and the id that its refusal has. */
function ruleOf(body: string): unknown {
  const parsed = parseRequest(Buffer.from(`[${body}]`));
  const [only] = 'calls' in parsed ? parsed.calls : [];
  return only !== undefined && 'refused' in only
    ? [only.refused.error.details, Buffer.from(only.refused.id).toString()]
    : undefined;
}

/** A call with the members given as raw JSON, the usual ones unless overridden. */
function callOf(members: Record<string, string | undefined>): string {
  const all = { jsonrpc: '"2.0"', id: '7', method: '"eth_call"', params: '[]', ...members };
  const rendered = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`"${name}":${value}`],
  );
  return `{${rendered.join(',')}}`;
}

describe('a body that is not JSON', () => {
  test.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['only white space', ' \r\n\t'],
    ['truncated', GOOD.slice(0, -1)],
    ['truncated in a string', '{"jsonrpc":"2.0","id":7,"method":"eth_'],
    ['with a name that does not end', '{"jsonrpcx:"2.0","id":7,"method":"eth_call"}'],
    ['with a byte order mark', `\ufeff${GOOD}`],
    ['with trailing bytes', `${GOOD}x`],
    ['with a trailing NUL', `${GOOD}\0`],
    ['two objects', `${GOOD}${GOOD}`],
    ['with a trailing comma', `[${GOOD},]`],
    ['malformed in one item of a batch', `[${GOOD},{"jsonrpc":"2.0","id":1e,"method":"eth_call"}]`],
    ['not UTF-8 in an unknown member', Buffer.from(`{"x":"\xff",${GOOD.slice(1)}`, 'latin1')],
    ['not UTF-8 in an id', Buffer.from(callOf({ id: '"\xc0\xaf"' }), 'latin1')],
    [
      'nested too deep and truncated',
      `{"jsonrpc":"2.0","params":${nested(MAX_JSON_DEPTH + 1).slice(0, -1)}}`,
    ],
    ['nested very deep', '['.repeat(1_000_000)],
  ])('is refused as a whole: %s', (_, body) => {
    expect(parse(body)).toBe('!parse_error');
  });

  test('may nest as deep as the limit, which is a thousand levels and more', () => {
    expect(MAX_JSON_DEPTH).toBeGreaterThanOrEqual(1_000);
    const params = nested(MAX_JSON_DEPTH - 1);
    expect(parse(callOf({ params }))).toBe(`7 eth_call ${params}`);
  });

  test.each([
    ['a call', callOf({ params: nested(MAX_JSON_DEPTH) })],
    ['a batch', `[${callOf({ params: nested(MAX_JSON_DEPTH - 1) })}]`],
    ['the largest body', nested(MAX_BODY_BYTES / 2)],
    ['objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ])('is not what JSON is that nests deeper, but an invalid request: %s', (_, body) => {
    expect(parseRequest(Buffer.from(body))).toEqual({
      refused: {
        reason: 'invalid_request',
        details: { rule: 'nested_too_deep', max_levels: MAX_JSON_DEPTH },
      },
    });
  });
});

describe('a body that is no request', () => {
  test.each(['1', '"a"', 'null', 'true', '1e400', '[]', ' [ ] '])('is an invalid request: %s', (body) => {
    expect(parse(body)).toBe('!invalid_request');
  });

  test('may be as large as the limit and no larger', () => {
    const fill = (bytes: number) => GOOD + ' '.repeat(bytes - GOOD.length);
    expect(parse(fill(MAX_BODY_BYTES))).toBe('7 eth_chainId');
    expect(parseRequest(Buffer.from(fill(MAX_BODY_BYTES + 1)))).toEqual({
      refused: {
        reason: 'body_too_large',
        parameters: { max: MAX_BODY_BYTES },
        details: { max_bytes: MAX_BODY_BYTES },
      },
    });
    expect(parse(Buffer.alloc(MAX_BODY_BYTES + 1))).toBe('!body_too_large');
  });
});

describe('a batch', () => {
  const batchOf = (count: number) => `[${Array<string>(count).fill(GOOD).join(',')}]`;

  test('has at most 100 calls', () => {
    expect(MAX_BATCH_CALLS).toBe(100);
    expect(parse(batchOf(MAX_BATCH_CALLS))).toHaveLength(MAX_BATCH_CALLS);
    expect(parseRequest(Buffer.from(batchOf(MAX_BATCH_CALLS + 1)))).toEqual({
      refused: {
        reason: 'batch_too_large',
        parameters: { max: MAX_BATCH_CALLS },
        details: { max_calls: MAX_BATCH_CALLS },
      },
    });
    expect(parse(`[${'1,'.repeat(200)}1]`)).toBe('!batch_too_large');
    expect(parse(`${batchOf(200).slice(0, -1)},{"a":}]`)).toBe('!parse_error');
  });

  test('refuses each bad item in its place', () => {
    const items = [GOOD, '1', '[]', `[${GOOD}]`, '{}', '{"id":"x"}', 'null', callOf({ ID: '1' }), GOOD];
    expect(parse(`[ ${items.join(' ,\n')} ]`)).toEqual([
      '7 eth_chainId',
      'null !invalid_request',
      'null !invalid_request',
      'null !invalid_request',
      'null !invalid_request',
      '"x" !invalid_request',
      'null !invalid_request',
      '7 !ambiguous_member',
      '7 eth_chainId',
    ]);
    expect(parse('[1]')).toEqual(['null !invalid_request']);
  });

  test('may have equal ids', () => {
    expect(parse(`[${GOOD},${GOOD}]`)).toEqual(['7 eth_chainId', '7 eth_chainId']);
  });
});

describe('the id of a call', () => {
  test.each([
    '0',
    '-0',
    '1.5',
    '1e400',
    '-1E-7',
    '12345678901234567890',
    'null',
    '""',
    '"a"',
    '"\\ud800"',
    '"\\u0041"',
    '"é"',
    '"\\""',
  ])('stays as it came: %s', (id) => {
    expect(parse(callOf({ id }))).toBe(`${id} eth_call []`);
    expect(parse(callOf({ id, method: '1' }))).toBe(`${id} !invalid_request`);
  });

  test.each([undefined, '{}', '{"a":1}', '[]', '[1]', 'true', 'false'])('is not readable: %s', (id) => {
    expect(parse(callOf({ id }))).toBe('null !invalid_request');
  });
});

describe('the other members of a call', () => {
  test.each<[Record<string, string | undefined>, string]>([
    [{ params: undefined }, '7 eth_call'],
    [{ params: 'null' }, '7 eth_call'],
    [{ params: ' null ' }, '7 eth_call'],
    [{ params: '[ 1.0 , {"b":1,"a":2} ]' }, '7 eth_call [ 1.0 , {"b":1,"a":2} ]'],
    [{ jsonrpc: '"\\u0032.0"' }, '7 eth_call []'],
    [{ method: '"eth\\u005fcall"' }, '7 eth_call []'],
    [{ method: '"eth_\\ud800"' }, '7 eth_\ud800 []'],
    [{ method: `"${'a'.repeat(100)}"` }, `7 ${'a'.repeat(100)} []`],
    [{ unknown: '{"id":1}', '': '2' }, '7 eth_call []'],
    [{ jsonrpc: undefined, 'jsonrp\\u0063': '"2.0"' }, '7 eth_call []'],
  ])('are read: %j', (members, expected) => {
    expect(parse(callOf(members))).toBe(expected);
  });

  test.each<Record<string, string | undefined>>([
    { jsonrpc: undefined },
    { jsonrpc: '2.0' },
    { jsonrpc: '"2"' },
    { jsonrpc: '"2.00"' },
    { jsonrpc: 'null' },
    { method: undefined },
    { method: '""' },
    { method: 'null' },
    { method: '["eth_call"]' },
    { params: '{}' },
    { params: '"[]"' },
    { params: '1' },
  ])('are invalid: %j', (members) => {
    expect(parse(callOf(members))).toBe('7 !invalid_request');
  });

  test.each<[Record<string, string | undefined>, Record<string, unknown>, string]>([
    [{ jsonrpc: '"1.0"' }, { rule: 'version' }, '7'],
    [{ id: undefined }, { rule: 'id_required' }, 'null'],
    [{ id: '{}' }, { rule: 'id_type' }, 'null'],
    [{ id: `"${'i'.repeat(1023)}"` }, { rule: 'id_too_long', max_bytes: 1024 }, 'null'],
    [{ id: '9'.repeat(1025) }, { rule: 'id_too_long', max_bytes: 1024 }, 'null'],
    [{ method: undefined }, { rule: 'method_required' }, '7'],
    [{ method: '""' }, { rule: 'method_required' }, '7'],
    [{ method: '1' }, { rule: 'method_type' }, '7'],
    [{ method: `"${'m'.repeat(1025)}"` }, { rule: 'method_too_long', max_bytes: 1024 }, '7'],
    [{ params: '{"to":"0x"}' }, { rule: 'params_type' }, '7'],
    [{ params: 'false' }, { rule: 'params_type' }, '7'],
    [Object.fromEntries(Array.from({ length: 61 }, (_, at) => [`x${at}`, '0'])), MANY, 'null'],
  ])('name the rule that they break: %#', (members, details, id) => {
    expect(ruleOf(callOf(members))).toEqual([details, id]);
  });

  test('may be as long and as many as the bounds', () => {
    const id = `"${'i'.repeat(1022)}"`;
    const method = 'm'.repeat(1024);
    const others = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x${at}`, '0']));
    expect(parse(callOf({ id, method: `"${method}"`, ...others }))).toBe(`${id} ${method} []`);
  });

  test('are not those of a method that looks alike', () => {
    const methods = ['eth_aabc', 'eth_babc', 'eth_aabc', 'eth_babc'];
    const batch = methods.map((method) => callOf({ method: `"${method}"` }));
    expect(parse(`[${batch.join(',')}]`)).toEqual(methods.map((method) => `7 ${method} []`));
  });

  test('do not come from the call before', () => {
    expect(parse(`[${callOf({})},{"id":1}]`)).toEqual(['7 eth_call []', '1 !invalid_request']);
    expect(parse(`[${callOf({})},{"a":1}]`)).toEqual(['7 eth_call []', 'null !invalid_request']);
    const bare = callOf({ jsonrpc: undefined, params: undefined });
    expect(parse(`[${callOf({})},${bare}]`)).toEqual(['7 eth_call []', '7 !invalid_request']);
  });
});

describe('a call that another parser would read otherwise', () => {
  test.each<[string, string]>([
    ['method twice', callOf({}).replace('}', ',"method":"debug_traceTransaction"}')],
    ['method twice, once escaped', callOf({ 'm\\u0065thod': '"debug_traceTransaction"' })],
    ['method in capitals', callOf({ METHOD: '"debug_traceTransaction"' })],
    ['method in capitals alone', callOf({ method: undefined, Method: '"eth_call"' })],
    ['escaped capitals', callOf({ '\\u004dethod': '1' })],
    ['params with a long s', callOf({ 'param\u017f': '[]' })],
    ['jsonrpc with an escaped long s', callOf({ 'j\\u017fonrpc': '1' })],
    ['an unknown member twice', callOf({}).replace('}', ',"x":1,"x":1}')],
    ['an unknown member twice, once escaped', callOf({ x: '1', '\\u0078': '1' })],
    ['the same wrong name twice', callOf({}).replace('}', ',"\\ud800":1,"\\ud800":1}')],
    ['id in capitals', callOf({ Id: '8' })],
    ['invalid besides', callOf({ jsonrpc: '1', PARAMS: '1' })],
  ])('is ambiguous: %s', (_, body) => {
    expect(parse(body)).toBe('7 !ambiguous_member');
  });

  test.each<[string, string]>([
    ['id twice', `{"id":1,${callOf({}).slice(1)}`],
    ['id three times', `{"id":1,"id":2,${callOf({}).slice(1)}`],
    ['id twice, once escaped', callOf({ '\\u0069d': '8' })],
    ['no id but ID', callOf({ id: undefined, ID: '8' })],
    ['an unreadable id', callOf({ id: '[]', ID: '8' })],
  ])('is ambiguous and has no certain id: %s', (_, body) => {
    expect(parse(body)).toBe('null !ambiguous_member');
  });

  test('is not one with names that only look alike', () => {
    const names = [
      'idx',
      'i',
      ' id',
      'id ',
      'metho',
      'methods',
      'param',
      'json-rpc',
      'p\u0430rams',
      '\u0131d',
      'x',
      'X',
    ];
    const members = Object.fromEntries(names.map((name) => [name, '1']));
    expect(parse(callOf(members))).toBe('7 eth_call []');
  });
});

test('a call keeps its bytes whatever the order and the space of its members', () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.bigInt().map(String),
    fc.constantFrom('null', '-0', '1e400', '0.10'),
  );
  const params = fc.array(fc.jsonValue()).map((values) => JSON.stringify(values, undefined, 1));
  const method = anyText({ minLength: 1 });
  const extra = fc.dictionary(
    fc.string().map((name) => `x${name}`),
    fc.jsonValue(),
    { maxKeys: 2 },
  );
  const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
  const call = fc
    .record({ id, params, method, extra, space })
    .chain(({ id, params, method, extra, space }) => {
      const others = Object.entries(extra).map(([name, value]) => [
        JSON.stringify(name),
        JSON.stringify(value),
      ]);
      const members = [
        ['"jsonrpc"', '"2.0"'],
        ['"id"', id],
        ['"method"', JSON.stringify(method)],
        ['"params"', params],
        ...others,
      ];
      const render = (all: string[][]) =>
        all.map((member) => member.join(`${space}:${space}`)).join(`${space},`);
      return fc
        .shuffledSubarray(members, { minLength: members.length })
        .map((all) => ({ id, params, method, json: `${space}{${space}${render(all)}${space}}${space}` }));
    });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
      const expected = calls.map(({ id, method, params }) => `${id} ${method} ${params}`);
      expect(parse(`[${calls.map(({ json }) => json).join(',')}]`)).toEqual(expected);
      expect(parse(calls[0]?.json ?? '')).toBe(expected[0]);
    }),
    { numRuns: RUNS },
  );
});
