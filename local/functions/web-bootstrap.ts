/**
 * The process of an environment of a web function: loads the server that its bundle is, as Lambda's runtime does, and ends with
 * the run that started it.
 */
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { CONNECTION_DESCRIPTOR } from './frames.ts';

const connection = new Socket({ fd: CONNECTION_DESCRIPTOR });
connection.on('error', leave).on('close', leave);
connection.resume().unref();

const folder = process.cwd();
// It has done its work: Node.js read it at the start.
delete process.env.NODE_COMPILE_CACHE;
createRequire(join(folder, 'index.js'))('./index.js');

function leave(): never {
  process.exit(1);
}
