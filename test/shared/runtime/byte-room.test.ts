/** Room is shared fairly between owners, and never more is in use than there is. */
import fc from 'fast-check';
import { ByteRoom, type ByteTaker } from '../../../lambdas/shared/runtime/byte-room.ts';

const ROOM_BYTES = 100;
/** What one owner may have. */
const SHARE_BYTES = 50;

let room: ByteRoom;
/** Names of takers that have begun, in order. */
let begun: string[];

beforeEach(() => {
  room = new ByteRoom(ROOM_BYTES);
  begun = [];
});

function taker(name: string, owner: string, bytes: number): ByteTaker {
  return { owner, bytes, begin: () => begun.push(name) };
}

function take(name: string, owner: string, bytes: number): ByteTaker {
  const one = taker(name, owner, bytes);
  room.take(one);
  return one;
}

test('what finds room takes it at once', () => {
  take('one', 'a', 30);
  expect([begun, room.taken, room.waiting]).toEqual([['one'], 30, 0]);
});

test('an owner that asks for all of the room has half of it, and another one is served beside it', () => {
  for (let index = 0; index < 60; index += 1) take(`a${index}`, 'a', 10);
  expect([room.taken, room.waiting]).toEqual([SHARE_BYTES, 55]);
  take('b', 'b', 50);
  expect(begun.at(-1)).toBe('b');
});

test('more than half of the room is for an owner that has nothing', () => {
  take('large', 'a', 80);
  take('second', 'a', 1);
  expect(begun).toEqual(['large']);
  room.giveBack('a', 80);
  expect(begun).toEqual(['large', 'second']);
});

test('who has least is served first, and then who came first', () => {
  take('first', 'a', 50);
  take('other', 'c', 50);
  take('a', 'a', 20);
  take('b', 'b', 20);
  take('b again', 'b', 20);
  room.giveBack('c', 50);
  expect(begun.slice(2)).toEqual(['b', 'b again']);
});

test('nothing smaller overtakes one that waits for room', () => {
  take('first', 'a', 50);
  take('second', 'b', 40);
  take('large', 'c', 60);
  take('small', 'd', 10);
  expect(begun).toEqual(['first', 'second']);
  room.giveBack('a', 50);
  expect(begun).toEqual(['first', 'second', 'large']);
});

test('one that leaves makes way for those behind it', () => {
  take('first', 'a', 50);
  const large = take('large', 'c', 60);
  take('small', 'd', 10);
  room.leave(large);
  expect(begun).toEqual(['first', 'small']);
});

const step = fc.record({
  kind: fc.constantFrom('take', 'take', 'give', 'leave'),
  owner: fc.constantFrom('a', 'b', 'c'),
  bytes: fc.integer({ min: 1, max: ROOM_BYTES }),
  place: fc.nat(),
});

test('whatever is taken, given back and left, there is never more in use than there is, and every wait ends', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      room = new ByteRoom(ROOM_BYTES);
      const waiting = new Set<ByteTaker>();
      const using: ByteTaker[] = [];
      const check = () => {
        const bytes = (of: readonly ByteTaker[]) => of.reduce((sum, one) => sum + one.bytes, 0);
        expect(room.taken).toBe(bytes(using));
        expect(room.taken).toBeLessThanOrEqual(ROOM_BYTES);
        expect(room.waiting).toBe(waiting.size);
        for (const [, of] of Map.groupBy(using, ({ owner }) => owner))
          if (of.length > 1) expect(bytes(of)).toBeLessThanOrEqual(SHARE_BYTES);
      };
      const takeOne = (owner: string, bytes: number) => {
        const one: ByteTaker = {
          owner,
          bytes,
          begin: () => {
            waiting.delete(one);
            using.push(one);
          },
        };
        waiting.add(one);
        room.take(one);
      };
      const giveOne = (place: number) => {
        const [one] = using.splice(place % Math.max(1, using.length), 1);
        if (one !== undefined) room.giveBack(one.owner, one.bytes);
      };
      for (const { kind, owner, bytes, place } of steps) {
        const left = [...waiting][place % Math.max(1, waiting.size)];
        if (kind === 'take') takeOne(owner, bytes);
        else if (kind === 'give') giveOne(place);
        else if (left !== undefined) {
          waiting.delete(left);
          room.leave(left);
        }
        check();
      }
      while (using.length > 0) {
        giveOne(0);
        check();
      }
      expect([waiting.size, room.waiting, room.taken]).toEqual([0, 0, 0]);
    }),
  );
});
