import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import type { PostedResponse } from '../../../lambdas/shared/http/send-request.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';

const REQUEST = { body: Buffer.from('{}'), idempotent: true, deadline: 0 };
const OK: PostedResponse = { status: 200, body: Buffer.from('{}') };

/** Nodes that do what is said, by their place. */
function world(answers: (() => Promise<PostedResponse>)[], held: ReadonlySet<number> = new Set()) {
  const asked: number[] = [];
  const moves: string[] = [];
  const upstreams = answers.map((answer, place) => ({
    name: `node-${place}`,
    health: {
      get isHeld() {
        return held.has(place);
      },
    },
    connection: {
      reserveIds: () => 1,
      post: () => {
        asked.push(place);
        return answer();
      },
    },
  }));
  const node = createStickyUpstream(upstreams, (upstream) => moves.push(upstream));
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await node.post(REQUEST).catch(() => undefined);
  };
  return { asked, moves, node, send };
}

const fails = () => Promise.reject(new Error('unreachable'));
const answers = (status: number) => () => Promise.resolve({ ...OK, status });

test('the first is read as long as it answers', async () => {
  const { asked, moves, send } = world([answers(200), answers(200)]);
  await send(20);
  expect(new Set(asked)).toEqual(new Set([0]));
  expect(moves).toEqual([]);
});

test('one that an operator holds is asked nothing, not even as a witness, and is not gone back to at once', async () => {
  const held = new Set<number>();
  const { asked, moves, node, send } = world([answers(200), answers(200), answers(200)], held);
  await send(1);
  held.add(0);
  await send(2);
  expect(node.others().map(({ name }) => name)).toEqual(['node-2']);
  held.add(1).add(2);
  await expect(node.post(REQUEST)).rejects.toMatchObject({ kind: 'unreachable' });
  held.clear();
  await send(1);
  expect(asked).toEqual([0, 1, 1, 1]);
  expect(moves).toEqual(['node-1']);
});

test.each([
  ['cannot be reached', fails],
  ['answers 503', answers(503)],
])('one that %s is left after six failures in a row', async (_, broken) => {
  const { asked, moves, send } = world([broken, answers(200)]);
  await send(8);
  expect(asked).toEqual([0, 0, 0, 0, 0, 0, 1, 1]);
  expect(moves).toEqual(['node-1']);
});

test('a rate limit is no reason to leave, and an answer between failures makes them begin anew', async () => {
  let count = 0;
  const flaky = () => (count++ % 6 === 5 ? Promise.resolve(OK) : fails());
  const { asked, send } = world([flaky, answers(200)]);
  await send(36);
  expect(new Set(asked)).toEqual(new Set([0]));
  const limited = world([answers(429), answers(200)]);
  await limited.send(20);
  expect(limited.moves).toEqual([]);
});

test('a request that needs more than the time it is given is no reason to leave, one that hangs is', async () => {
  const hangs = () => Promise.reject(new UpstreamError('timeout', { sent: true, reusedSocket: false }));
  const { moves, node, send } = world([hangs, answers(200)]);
  for (let sent = 0; sent < 20; sent += 1)
    await expect(node.post({ ...REQUEST, limitMs: 1 })).rejects.toThrow('timeout');
  expect(moves).toEqual([]);
  await send(6);
  expect(moves).toEqual(['node-1']);
});

test('failures at once are not counted against the next one', async () => {
  const { asked, moves, node } = world([fails, answers(200), answers(200)]);
  await Promise.allSettled(Array.from({ length: 18 }, () => node.post(REQUEST)));
  await node.post(REQUEST);
  expect(moves).toEqual(['node-1']);
  expect(asked.at(-1)).toBe(1);
});

test('after the last comes the first again; one alone is kept', async () => {
  const { moves, send } = world([fails, fails]);
  await send(18);
  expect(moves).toEqual(['node-1', 'node-0', 'node-1']);
  const alone = world([fails]);
  await alone.send(18);
  expect(alone.moves).toEqual([]);
});

test('a failure is still told to who asked', async () => {
  await expect(world([fails]).node.post(REQUEST)).rejects.toThrow('unreachable');
});
