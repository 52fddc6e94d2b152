/** A response that is scanned while it comes is read as one that is there. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { ScanAhead, scanResponses } from '../../../lambdas/shared/jsonrpc/match-responses.ts';

/** What fails is large, and takes minutes to be made smaller. */
const PROPERTY = { numRuns: 60, endOnFailure: true };
const SMALL = { minBytes: 1_000, reserveBytes: 100 };

/** A body as it arrives: memory of its whole length, of which more is filled each time. */
class ArrivingBody {
  readonly memory: Buffer;
  readonly ahead: ScanAhead;
  readonly #body: Buffer;
  #filled = 0;

  constructor(body: Buffer, ahead = new ScanAhead(SMALL)) {
    this.#body = body;
    this.ahead = ahead;
    // What is not there yet would end any value.
    this.memory = Buffer.alloc(body.length, '"]}');
  }

  /** Returns whether all of it is there. */
  add(bytes: number): boolean {
    const end = Math.min(this.#body.length, this.#filled + bytes);
    this.#body.copy(this.memory, this.#filled, this.#filled, end);
    this.#filled = end;
    this.ahead.filled(this.memory, end);
    return end === this.#body.length;
  }

  get scanned() {
    return scanResponses(this.memory, this.ahead.partOf(this.memory));
  }
}

const largeValue = fc
  .array(fc.oneof(fc.jsonValue({ maxDepth: 5 }), fc.string({ maxLength: 40_000 })), { maxLength: 12 })
  .map((values) => JSON.stringify(Array.from({ length: 40 }, () => values)));
const body = fc
  .tuple(largeValue, fc.constantFrom('"id":7,', '', '"jsonrpc":"2.0",', '"jsonrpc":"2.0","id":7,'))
  .map(([value, before]) => Buffer.from(`{${before}"result":${value}}`));
const chunks = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 20 });

function arrive(arriving: readonly ArrivingBody[], sizes: readonly number[]): void {
  for (const one of arriving) for (let turn = 0; !one.add(sizes[turn % sizes.length] ?? 1); turn += 1);
}

test('what is scanned while it comes is what is scanned at the end, in pieces of any size', () => {
  fc.assert(
    fc.property(body, chunks, (whole, sizes) => {
      const arriving = new ArrivingBody(whole);
      arrive([arriving], sizes);
      expect(arriving.scanned).toEqual(scanResponses(whole));
      expect(arriving.scanned).toBeDefined();
    }),
    PROPERTY,
  );
});

test('the same of bodies in which one byte is another, of which most are no JSON', () => {
  fc.assert(
    fc.property(body, chunks, fc.nat(), fc.nat(127), (whole, sizes, place, byte) => {
      whole[place % whole.length] = byte;
      const arriving = new ArrivingBody(whole);
      arrive([arriving], sizes);
      expect(arriving.scanned).toEqual(scanResponses(whole));
    }),
    PROPERTY,
  );
});

test('bodies that come by turns do not disturb each other', () => {
  fc.assert(
    fc.property(body, body, chunks, (one, other, sizes) => {
      const both = [new ArrivingBody(one), new ArrivingBody(other)];
      let left = both;
      for (let turn = 0; left.length > 0; turn += 1)
        left = left.filter((arriving) => !arriving.add(sizes[turn % sizes.length] ?? 1));
      expect(both.map(({ scanned }) => scanned)).toEqual([scanResponses(one), scanResponses(other)]);
    }),
    PROPERTY,
  );
});

/** How far a body is scanned once each of its pieces is there. */
function progressOf(whole: Buffer): number[] {
  const arriving = new ArrivingBody(whole, new ScanAhead());
  const progress: number[] = [];
  for (let isWhole = false; !isWhole; ) {
    isWhole = arriving.add(65_536);
    progress.push(arriving.ahead.partOf(arriving.memory)?.next ?? 0);
  }
  // Jest compares megabytes byte by byte.
  if (!isDeepStrictEqual(arriving.scanned, scanResponses(whole)))
    throw new Error('what is scanned piece by piece is not what is scanned at the end');
  return progress;
}

test('a large response is scanned piece by piece, and little is left at its end', () => {
  const steps = Array.from({ length: 100_000 }, (_, index) => ({ pc: index, op: 'PUSH1' }));
  const whole = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(steps)}}`);
  const progress = progressOf(whole);
  expect(whole.length - (progress.at(-1) ?? 0)).toBeLessThan(32_768);
  const pieces = progress.map((next, index) => next - (progress[index - 1] ?? 0));
  expect(Math.max(...pieces)).toBeLessThan(4 * 65_536);
});

test('one of strings alone is scanned at its end, and tried only as often as it doubles before', () => {
  const strings = JSON.stringify(Array.from({ length: 100 }, () => 'a'.repeat(50_000)));
  const progress = progressOf(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${strings}}`));
  expect(new Set(progress).size).toBeLessThan(3);
});

test('a value that nests deeper than it may is refused, however it comes', () => {
  const deep = (levels: number) =>
    Buffer.from(`{"id":1,"result":${'[1,'.repeat(levels)}1${']'.repeat(levels)}}`);
  for (const levels of [4_000, 4_095, 4_096]) {
    const whole = deep(levels);
    const arriving = new ArrivingBody(whole);
    arrive([arriving], [700]);
    expect(arriving.scanned).toEqual(scanResponses(whole));
  }
  expect(scanResponses(deep(4_095))).toBeDefined();
  expect(scanResponses(deep(4_096))).toBeUndefined();
});

test('nothing is said of a body that was not watched', () => {
  const arriving = new ArrivingBody(Buffer.from(`{"id":1,"result":[${'1,'.repeat(40_000)}1]}`));
  arrive([arriving], [30_000]);
  expect(arriving.ahead.partOf(arriving.memory)).toBeDefined();
  expect(arriving.ahead.partOf(Buffer.from(arriving.memory))).toBeUndefined();
});

test('a response with more members than any node sends is malformed: each takes more room than its bytes', () => {
  const others = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 0]));
  const entryOf = (response: object) => scanResponses(Buffer.from(JSON.stringify(response)))?.entries[0];
  expect(entryOf({ id: 1, result: 2, ...others(62) })).toMatchObject({ id: 1, result: Buffer.from('2') });
  expect(entryOf({ id: 1, result: 2, ...others(63) })).toEqual({ id: undefined });
  const error = { code: 1, message: 'no', ...others(63) };
  expect(entryOf({ id: 1, error })).toEqual({ id: 1 });
});
