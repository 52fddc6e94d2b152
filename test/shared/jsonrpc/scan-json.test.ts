/** The scanner accepts and refuses what JSON.parse does. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseRequest } from '../../../lambdas/rpc/request/parse-calls.ts';
import {
  jsonText,
  MAX_RESPONSE_DEPTH,
  type MemberOffsets,
  scanElements,
  scanMembers,
  skipSpace,
  skipValue,
} from '../../../lambdas/shared/jsonrpc/scan-json.ts';

const RUNS = 4_000;
const LONG_RUNS = 100;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Bytes that decide something in JSON or UTF-8: what mutations put in. */
const TELLING_BYTES = Buffer.from(
  '{}[]:,"\\/ \t\r\n\0\x1f0123456789-+.eExuntfa\u00e9\ud83d\ude00\ufeff\u2028',
);

function corpus(name: string): string[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'corpus', name), 'utf8')) as string[];
}

function scannerAccepts(bytes: Uint8Array): boolean {
  if (!isUtf8(bytes)) return false;
  const text = jsonText(bytes);
  const end = skipValue(text, skipSpace(text.bytes, 0), MAX_RESPONSE_DEPTH);
  return end >= 0 && skipSpace(text.bytes, end) === bytes.length;
}

function jsonParseAccepts(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decoder.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** The bytes as a view into others that would end any string, array or object. */
function amongOthers(bytes: Uint8Array, offset: number): Uint8Array {
  const others = Buffer.alloc(bytes.length + offset + 16, '"]}');
  others.set(bytes, offset);
  return others.subarray(offset, offset + bytes.length);
}

const jsonDocument = fc
  .tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', ' ', '\t', '\r\n '))
  .map(([value, space]) => Buffer.from(`${space}${JSON.stringify(value, undefined, space)}${space}`));

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly put: Uint8Array;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 3 }),
  put: fc
    .array(fc.oneof(fc.constantFrom(...TELLING_BYTES), fc.integer({ min: 0, max: 255 })), { maxLength: 3 })
    .map((bytes) => Uint8Array.from(bytes)),
});

function applyEdits(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  return edits.reduce((edited, { at, removed, put }) => {
    const start = at % (edited.length + 1);
    return Buffer.concat([edited.subarray(0, start), put, edited.subarray(start + removed)]);
  }, bytes);
}

describe('skipValue', () => {
  test.each(corpus('valid.json'))('accepts %j', (json) => {
    expect(jsonParseAccepts(Buffer.from(json))).toBe(true);
    expect(scannerAccepts(Buffer.from(json))).toBe(true);
  });

  test.each(corpus('malformed.json'))('refuses %j', (json) => {
    expect(jsonParseAccepts(Buffer.from(json))).toBe(false);
    expect(scannerAccepts(Buffer.from(json))).toBe(false);
  });

  test.each(['22ff22', '22c0af22', '22eda08022', '22f490808022', '22e4b822', '80', 'efbbbf31'])(
    'refuses the bytes %s, which are not UTF-8 or start with a byte order mark',
    (hex) => {
      const bytes = Buffer.from(hex, 'hex');
      expect(jsonParseAccepts(bytes)).toBe(false);
      expect(scannerAccepts(bytes)).toBe(false);
    },
  );

  test('accepts and refuses what JSON.parse does, anywhere in a buffer', () => {
    fc.assert(
      fc.property(
        jsonDocument,
        fc.array(edit, { maxLength: 4 }),
        fc.nat({ max: 9 }),
        (json, edits, offset) => {
          const bytes = applyEdits(json, edits);
          expect(scannerAccepts(amongOthers(bytes, offset))).toBe(jsonParseAccepts(bytes));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('sees every byte of a string wherever it is', () => {
    for (let length = 0; length < 40; length++) {
      for (let at = 0; at <= length; at++) {
        for (const byte of ['"', '\\', '\n', '\x1f', '\0', 'A', ' ', '\x7f', '\u00e9']) {
          const json = Buffer.from(`"${'a'.repeat(at)}${byte}${'0'.repeat(length - at)}"`);
          expect(scannerAccepts(json)).toBe(jsonParseAccepts(json));
        }
      }
    }
  });

  test('accepts and refuses long texts as JSON.parse does', () => {
    const item = fc.jsonValue({ maxDepth: 4 });
    const long = fc
      .tuple(fc.array(item, { minLength: 5 }), fc.constantFrom(undefined, 1))
      .map(([items, space]) => {
        const branch = { items, nested: [[{ items }]] };
        return Buffer.from(
          JSON.stringify({ result: [Array.from({ length: 300 }, () => branch)] }, undefined, space),
        );
      });
    fc.assert(
      fc.property(long, fc.array(edit, { maxLength: 1 }), (json, edits) => {
        const bytes = applyEdits(json, edits);
        expect(scannerAccepts(bytes)).toBe(jsonParseAccepts(bytes));
      }),
      { numRuns: LONG_RUNS },
    );
  });

  test('nests as deep as it may and no deeper, without the stack', () => {
    const nested = (levels: number) =>
      Buffer.from(`${'[{"a":'.repeat(levels / 2)}null${'}]'.repeat(levels / 2)}`);
    expect(scannerAccepts(nested(MAX_RESPONSE_DEPTH))).toBe(true);
    expect(scannerAccepts(nested(MAX_RESPONSE_DEPTH + 2))).toBe(false);
    expect(scannerAccepts(Buffer.alloc(1_000_000, '['))).toBe(false);
    expect(scannerAccepts(Buffer.alloc(1_000_000, '{"a":'))).toBe(false);
  });
});

describe('parseRequest', () => {
  test('has a parse error exactly where JSON.parse throws', () => {
    const request = fc
      .array(fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.record({ id: fc.jsonValue(), method: fc.string() })))
      .map((calls) => Buffer.from(JSON.stringify(calls)));
    fc.assert(
      fc.property(request, fc.array(edit, { maxLength: 3 }), (json, edits) => {
        const bytes = applyEdits(json, edits);
        const parsed = parseRequest(bytes);
        const refused = 'refused' in parsed && parsed.refused.reason === 'parse_error';
        expect(refused).toBe(!jsonParseAccepts(bytes));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('scanMembers and scanElements', () => {
  const members = (json: string, levels = 4): string[] | undefined => {
    const text = jsonText(Buffer.from(json));
    const scanned: MemberOffsets[] = [];
    if (scanMembers(text, 0, levels, scanned) !== text.bytes.length) return undefined;
    return scanned.map(
      ([nameStart, nameEnd, start, end]) =>
        `${text.bytes.subarray(nameStart, nameEnd)}=${text.bytes.subarray(start, end)}`,
    );
  };

  test('give the bytes of each name and value', () => {
    expect(members('{}')).toEqual([]);
    expect(members('{ "a" : 1e400 , "b":[ {} ],"":"\\"" }')).toEqual(['"a"=1e400', '"b"=[ {} ]', '""="\\""']);
    expect(members('{"a":[[]]}', 3)).toEqual(['"a"=[[]]']);
    expect(members('{"a":[[]]}', 2)).toBeUndefined();
    expect(members('{"a":1}', 0)).toBeUndefined();
  });

  test.each(['[]', '{"a":1,}', '{"a"}', '{,}', '{"a":1', '{"a":[[[[]]]]}', '{"a":1}}'])(
    'refuse %s',
    (json) => {
      expect(members(json)).toBeUndefined();
    },
  );

  test('give the offset of each element', () => {
    const text = jsonText(Buffer.from('[ 1 ,[2], {} ]'));
    const starts: number[] = [];
    const end = scanElements(text, 0, (at) => {
      starts.push(at);
      return skipValue(text, at, 1);
    });
    expect([starts, end]).toEqual([[2, 5, 10], 14]);
  });
});
