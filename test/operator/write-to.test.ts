import { Writable } from 'node:stream';
import { writeTo } from '../../bin/operator/run.ts';

/** A stream that takes texts until it fails with a code. */
function stream(code: string, takes: number) {
  const taken: string[] = [];
  const writable = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      if (taken.length === takes) return done(Object.assign(new Error(`write ${code}`), { code }));
      taken.push(text);
      done();
    },
  });
  return { taken, write: writeTo(writable) };
}

test('a reader that is gone is no failure', async () => {
  const { taken, write } = stream('EPIPE', 1);
  await write('first');
  await write('second');
  expect(taken).toEqual(['first']);
});

test('any other failure is one', async () => {
  await expect(stream('ENOSPC', 0).write('text')).rejects.toThrow('write ENOSPC');
});

test('waits for a slow reader', async () => {
  let take = () => {};
  const slow = new Writable({
    write(_text, _encoding, done) {
      take = done;
    },
  });
  let written = false;
  const writing = writeTo(slow)('text').then(() => {
    written = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(false);
  take();
  await writing;
  expect(written).toBe(true);
});
