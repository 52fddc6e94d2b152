/**
 * The least that stands between a client and a node: passes each POST on and its response back, over kept connections,
 * and looks at nothing. `fork`ed with the node's URL; answers every message with a
 * {@link ProcessState}.
 */
import { Agent, createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import { answerStates } from '../worker.ts';

const [nodeUrl = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { 'content-type': contentType, 'content-length': contentLength } = incoming.headers;
  const headers = { 'content-type': contentType, 'content-length': contentLength };
  const upstream = request(nodeUrl, { method: 'POST', agent, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 0, response.headers);
    pipeline(response, outgoing, () => {});
  });
  pipeline(incoming, upstream, (error) => {
    if (error) outgoing.destroy(error);
  });
});

answerStates(server);
