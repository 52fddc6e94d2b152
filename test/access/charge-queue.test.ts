/** A charge that the store did not take is sent whole to the queue, once. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { LaneTotal } from '../../lambdas/access/charge/lane.ts';
import { createSqsChargeQueue, decodeLane } from '../../lambdas/access/charge/lane-message.ts';
import { listen } from '../support/listen.ts';

const LANE: LaneTotal = {
  account: 'acme',
  shard: 0,
  hour: '2026-11-20T23',
  lane: 'AAAAAAAAAAA',
  charges: 1,
  total: 75n,
  used: 'example_mainnet eth_getLogs:1:75',
};

let close = async () => {};
afterEach(() => close());

/** A queue in front of a server that answers as it is told. */
async function queueBefore(respond: (body: string, response: ServerResponse) => void) {
  const server = await listen(async (request, response) => {
    const { MessageBody } = (await json(request)) as { MessageBody: string };
    respond(MessageBody, response.setHeader('content-type', 'application/x-amz-json-1.0'));
  });
  close = server.close;
  return createSqsChargeQueue({
    queueUrl: `${server.url}/000000000000/charges`,
    clientConfig: {
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  });
}

test('sends the whole charge', async () => {
  const bodies: string[] = [];
  const queue = await queueBefore((body, response) => {
    bodies.push(body);
    const MD5OfMessageBody = createHash('md5').update(body).digest('hex');
    response.end(JSON.stringify({ MessageId: 'message-1', MD5OfMessageBody }));
  });
  await queue.send(LANE);
  expect(bodies.map(decodeLane)).toEqual([LANE]);
});

test('rejects when the queue refuses, after one attempt', async () => {
  let attempts = 0;
  const queue = await queueBefore((_, response) => {
    attempts++;
    response.writeHead(500).end('{}');
  });
  await expect(queue.send(LANE)).rejects.toThrow();
  expect(attempts).toBe(1);
});

test('rejects when the queue does not answer', async () => {
  const queue = await queueBefore(() => {});
  await expect(queue.send(LANE)).rejects.toThrow();
});
