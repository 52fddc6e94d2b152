import type { Writable } from 'node:stream';

/**
 * Writes texts to a stream, at the pace of its reader: resolves once a text is taken, to whether the reader is still
 * there (`| head` ends early). Rejects if it cannot be written for another reason, such as a full disk.
 */
export function writeTo(stream: Writable): (text: string) => Promise<boolean> {
  // Each failure is told to the write that it befell; without a listener it would also end the process.
  stream.on('error', () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error == null) resolve(true);
        else if ('code' in error && error.code === 'EPIPE') resolve(false);
        else reject(error);
      });
    });
}
