/** Room for large bodies is always returned, shared out fairly between owners, and one after the other. */
import fc from 'fast-check';
import {
  type HeldBodies,
  LargeBodies,
  type LargeBody,
  SMALL_BODY_BYTES,
} from '../../../lambdas/shared/http/large-bodies.ts';

const ROOM_BYTES = 8 * SMALL_BODY_BYTES;
const BODY_BYTES = 2 * SMALL_BODY_BYTES;

/** A body that is there. */
function whole(
  bodies: LargeBodies,
  held: HeldBodies,
): { readonly body: LargeBody; readonly bytes: Uint8Array } {
  const body = bodies.take(held, BODY_BYTES, () => {});
  const bytes = new Uint8Array(BODY_BYTES);
  body.keep(bytes);
  return { body, bytes };
}

test('what two requests share has its room once, until the last of them has sent it', () => {
  const bodies = new LargeBodies(ROOM_BYTES);
  const [first, second] = [bodies.open('one'), bodies.open('another')];
  const { bytes } = whole(bodies, first);
  second.hold(bytes.subarray(10, 100));
  expect(bodies.takenBytes).toBe(BODY_BYTES);
  first.release();
  expect(bodies.takenBytes).toBe(BODY_BYTES);
  second.release();
  expect(bodies.takenBytes).toBe(0);
});

test('tells what was in use when one was refused, and once nothing is in use any more', () => {
  const seen: unknown[] = [];
  const bodies = new LargeBodies(ROOM_BYTES, {
    refused: (bytes) => seen.push(bytes),
    emptied: () => seen.push('empty'),
  });
  const [one, another] = [bodies.open('one'), bodies.open('another')];
  whole(bodies, one);
  const waiting = bodies.take(another, ROOM_BYTES, () => {});
  expect(waiting.isWaiting).toBe(true);
  waiting.refuse();
  expect([seen, bodies.waiting]).toEqual([[BODY_BYTES], 0]);
  one.release();
  expect(seen).toEqual([BODY_BYTES, 'empty']);
  whole(bodies, one);
  expect(seen).toHaveLength(2);
});

test('of bodies that arrive at a time, only the first is read by much in a turn of the event loop, then the next', () => {
  const bodies = new LargeBodies(Number.POSITIVE_INFINITY);
  const arriving = Array.from({ length: 12 }, () => bodies.take(bodies.open('key'), BODY_BYTES, () => {}));
  const [first, second] = arriving;
  const alone = first?.partBytes ?? 0;
  expect(arriving.reduce((sum, { partBytes }) => sum + partBytes, 0)).toBeLessThan(2 * alone);
  first?.drop();
  expect(second?.partBytes).toBe(alone);
});

describe('room', () => {
  const ROOM = 100;
  let bodies: LargeBodies;
  /** Names of bodies that have begun, in order. */
  let begun: string[];

  beforeEach(() => {
    bodies = new LargeBodies(ROOM);
    begun = [];
  });

  const take = (name: string, owner: string, bytes: number) =>
    bodies.take(bodies.open(owner), bytes, () => begun.push(name));

  test('of which an owner asks for all of it has half, and another one is served beside it', () => {
    for (let index = 0; index < 60; index += 1) take(`a${index}`, 'a', 10);
    expect([bodies.takenBytes, bodies.waiting]).toEqual([ROOM / 2, 55]);
    take('b', 'b', 50);
    expect(begun.at(-1)).toBe('b');
  });

  test('of more than half is for an owner that has nothing', () => {
    const large = take('large', 'a', 80);
    take('second', 'a', 1);
    expect(begun).toEqual(['large']);
    large.drop();
    expect(begun).toEqual(['large', 'second']);
  });

  test('is for who has least first, and then for who came first', () => {
    take('first', 'a', 30);
    const other = take('other', 'c', 70);
    take('a', 'a', 10);
    take('b', 'b', 10);
    take('d', 'd', 10);
    other.drop();
    expect(begun.slice(2)).toEqual(['b', 'd', 'a']);
  });

  test('is for nothing smaller that would overtake one that waits for it', () => {
    const first = take('first', 'a', 50);
    take('second', 'b', 40);
    take('large', 'c', 60);
    take('small', 'd', 10);
    expect(begun).toEqual(['first', 'second']);
    first.drop();
    expect(begun).toEqual(['first', 'second', 'large']);
  });

  test('is for those behind one that leaves', () => {
    take('first', 'a', 50);
    const large = take('large', 'c', 60);
    take('small', 'd', 10);
    large.drop();
    expect(begun).toEqual(['first', 'small']);
  });
});

const step = fc.record({
  kind: fc.constantFrom('open', 'take', 'take', 'keep', 'drop', 'refuse', 'share', 'release'),
  place: fc.nat(),
  other: fc.nat(),
  bytes: fc.integer({ min: SMALL_BODY_BYTES + 1, max: 2 * ROOM_BYTES }),
});

test('whatever becomes of bodies and requests, no byte stays in use and nobody waits when all requests have ended', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const bodies = new LargeBodies(ROOM_BYTES);
      const requests = [bodies.open('key 0')];
      const taken: LargeBody[] = [];
      const memories: Uint8Array[] = [];
      const at = <T>(of: readonly T[], place: number) => of[place % Math.max(1, of.length)];
      for (const { kind, place, other, bytes } of steps) {
        const request = at(requests, place) as HeldBodies;
        const body = at(taken, other);
        if (kind === 'open') requests.push(bodies.open(`key ${place % 3}`));
        else if (kind === 'take') taken.push(bodies.take(request, bytes, () => {}));
        else if (kind === 'release') request.release();
        else if (kind === 'share') request.hold(at(memories, other) ?? new Uint8Array());
        else if (kind === 'drop') body?.drop();
        else if (kind === 'refuse' && body?.isWaiting === true) body.refuse();
        else if (kind === 'keep' && body !== undefined && !body.isWaiting) {
          const memory = new Uint8Array(SMALL_BODY_BYTES + 1);
          memories.push(memory);
          body.keep(memory);
        }
        const using = taken.filter((one) => !one.isWaiting && !one.isOver);
        const inUse = (of: readonly LargeBody[]) => of.reduce((sum, one) => sum + one.bytes, 0);
        expect(bodies.takenBytes).toBe(inUse(using));
        expect(bodies.takenBytes).toBeLessThanOrEqual(ROOM_BYTES);
        for (const [, of] of Map.groupBy(using, ({ owner }) => owner))
          if (of.length > 1) expect(inUse(of)).toBeLessThanOrEqual(ROOM_BYTES / 2);
      }
      for (const request of requests) request.release();
      for (const body of taken) if (body.isWaiting) body.refuse();
      for (const body of taken) {
        // One that began when another was refused still arrives.
        body.keep(new Uint8Array(SMALL_BODY_BYTES + 1));
      }
      expect([bodies.takenBytes, bodies.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 50 },
  );
});
