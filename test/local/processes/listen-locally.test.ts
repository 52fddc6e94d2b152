import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { type LocalServer, listenLocally, listenWhereLast } from '../../../local/processes/listen-locally.ts';

const open: LocalServer[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

const server = (body: string) => createServer((_, response) => response.end(body));
async function kept(starting: Promise<LocalServer>): Promise<LocalServer> {
  const started = await starting;
  open.push(started);
  return started;
}
const ask = (url: string) => fetch(url).then((response) => response.text());

test('a server is where it was last', async () => {
  const first = await listenWhereLast(server('first'), {});
  expect(await ask(first.url)).toBe('first');
  await first.close();
  const second = await kept(listenWhereLast(server('second'), { lastUrl: first.url }));
  expect(second.url).toBe(first.url);
  expect(await ask(first.url)).toBe('second');
});

test('a port that another has by now is left to it', async () => {
  const other = await kept(listenLocally(server('other')));
  const moved = await kept(listenWhereLast(server('moved'), { lastUrl: other.url }));
  expect(moved.url).not.toBe(other.url);
  expect([await ask(other.url), await ask(moved.url)]).toEqual(['other', 'moved']);
});

test.each([['no URL'], ['http://127.0.0.1'], [''], ['http://127.0.0.1:0']])(
  'what is no URL with a port (%j) is not followed',
  async (lastUrl) => {
    const { url } = await kept(listenWhereLast(server('here'), { lastUrl }));
    expect(await ask(url)).toBe('here');
  },
);

test('only this machine is listened to', async () => {
  const { url } = await kept(listenWhereLast(server('here'), {}));
  const elsewhere = createTcpServer();
  // The same port of another address of this machine is free.
  await new Promise<void>((resolve, reject) => {
    elsewhere.once('error', reject).listen(Number(new URL(url).port), '127.0.0.2', resolve);
  });
  await new Promise((resolve) => elsewhere.close(resolve));
});

test('pages are on the port that was asked for, and on no other', async () => {
  const first = await kept(listenWhereLast(server('first'), {}));
  const asked = Number(new URL(first.url).port);
  await expect(listenWhereLast(server('second'), { wanted: asked })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await first.close();
  const again = await kept(
    listenWhereLast(server('third'), { wanted: asked, lastUrl: 'http://127.0.0.1:1' }),
  );
  expect(again.url).toBe(first.url);
});
