import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, stat, utimes } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Sleep, sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { LocalRunError } from './local-run-error.ts';
import { callNode, postToNode } from './node-calls.ts';

/** Time between two looks at a chain: with the writing, what a power cut can lose stays within half a minute. */
const LOOK_INTERVAL_MS = 15_000;
/** Looks after which blocks that the run has made itself are saved, too: ten minutes. */
const OWN_BLOCKS_LOOKS = 40;
/** What stands before the state in a response, in characters: more than JSON-RPC has there. */
const MAX_PREAMBLE = 1_000;
const RESULT = '"result":"0x';
/** The state of old blocks is nine tenths of a chain: anvil would take no other call for half a minute while it tells it. */
const WITH_HISTORY = false;
/** The last member of a state, with which it tells of old blocks. */
const HISTORY = '"historical_states":';
const NO_HISTORY = `${HISTORY}null}`;

interface SavedChainOptions {
  /** Name of the chain, for messages. */
  readonly chain: string;
  readonly url: string;
  /** Where the chain is saved, compressed. */
  readonly file: string;
  /** Whether a file holds the chain as it is now, so that it is saved only after it has changed. */
  readonly isSaved: boolean;
  /** How many blocks the run has made itself. They can wait: nobody misses one. @default none */
  readonly ownBlocks?: (() => number) | undefined;
  /** Waits between two looks. @default by the timers of this process */
  readonly pause?: Sleep | undefined;
  /** Takes one line for people when the chain cannot be saved; nothing more until it could be again. */
  readonly tell: (line: string) => void;
}

/**
 * Saves the chain of a running anvil whenever its newest block is another one than at the last look. anvil itself would
 * write all of it again at each interval, changed or not.
 * @returns what ends it; a file that is half written is not kept
 */
export async function keepChainSaved(options: SavedChainOptions): Promise<() => Promise<void>> {
  const { chain, url, file, isSaved, ownBlocks = () => 0, pause = sleep, tell } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let saved = isSaved ? await newestBlock(url, signal, ownBlocks) : undefined;
  let isTrouble = false;
  let looks = 0;
  const saving = (async () => {
    for (;;) {
      await pause(LOOK_INTERVAL_MS, signal);
      if (signal.aborted) return;
      try {
        const newest = await newestBlock(url, signal, ownBlocks);
        looks += 1;
        const isDue = newest.others !== saved?.others || looks >= OWN_BLOCKS_LOOKS;
        if (isDue) {
          if (newest.hash !== saved?.hash) await saveChain(url, file, signal);
          [saved, looks] = [newest, 0];
        }
        isTrouble = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTrouble)
          tell(`${chain}: the chain could not be saved, and is tried again: ${messageOf(error)}`);
        isTrouble = true;
      }
    }
  })();
  return async () => {
    stopping.abort();
    await saving;
  };
}

/**
 * Puts what was saved of a chain, if anything was, where its node loads it; the state of old blocks stays that of the clean
 * end before. What is damaged is removed: a power cut may have come before the disk had all of it.
 */
export async function unpackChain(file: string, state: string): Promise<void> {
  if (!existsSync(file)) return;
  const part = `${state}.part`;
  try {
    await pipeline(createReadStream(file), createGunzip(), createWriteStream(part, { flush: true }));
    if (existsSync(state)) await addHistory(part, state);
  } catch (error) {
    await rm(part, { force: true });
    if (!isDamage(error)) throw error;
    await rm(file);
    return;
  }
  const { atime, mtime } = await stat(file);
  await utimes(part, atime, mtime);
  await rename(part, state);
  await rm(file);
}

/** Ends a state that tells of no old blocks with those of another one. */
async function addHistory(part: string, state: string): Promise<void> {
  const start = await offsetOf(HISTORY, state);
  const { size } = await stat(part);
  const file = await open(part, 'r+');
  try {
    const tail = Buffer.alloc(NO_HISTORY.length);
    await file.read(tail, 0, tail.length, Math.max(size - tail.length, 0));
    if (start === undefined || tail.toString() !== NO_HISTORY) return;
    await file.truncate(size - tail.length);
  } finally {
    await file.close();
  }
  await pipeline(createReadStream(state, { start }), createWriteStream(part, { flags: 'a', flush: true }));
}

/** Where a text begins in a file, in bytes; undefined: nowhere. */
async function offsetOf(text: string, path: string): Promise<number | undefined> {
  let passed = 0;
  let kept = Buffer.alloc(0);
  for await (const piece of createReadStream(path)) {
    const seen = Buffer.concat([kept, piece as Buffer]);
    const at = seen.indexOf(text);
    if (at !== -1) return passed + at;
    kept = seen.subarray(-text.length);
    passed += seen.length - kept.length;
  }
  return undefined;
}

function isDamage(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('Z_');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The newest block, and what changes with a block that somebody else has made: its number without the run's own. */
async function newestBlock(url: string, signal: AbortSignal, ownBlocks: () => number) {
  const own = ownBlocks();
  const [block] = await callNode(
    url,
    [{ method: 'eth_getBlockByNumber', params: ['latest', false] }],
    signal,
  );
  const { hash, number } = block as { readonly hash: string; readonly number: string };
  return { hash, others: own === 0 ? hash : String(Number(number) - own) };
}

/** Writes the state that anvil tells, whole or not at all. */
async function saveChain(url: string, file: string, signal: AbortSignal): Promise<void> {
  const part = `${file}.part`;
  try {
    const call = { jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [WITH_HISTORY] };
    const { body } = await postToNode(url, call, signal);
    await pipeline(stateOf(body ?? []), createWriteStream(part, { flush: true }), { signal });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** The bytes of a response whose result is one long hexadecimal text: it is too long to be held. */
async function* stateOf(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let preamble: string | undefined = '';
  let odd = '';
  for await (const piece of pieces) {
    let text = Buffer.from(piece).toString('latin1');
    if (preamble !== undefined) {
      preamble += text;
      const at = preamble.indexOf(RESULT);
      if (at === -1 && preamble.length > MAX_PREAMBLE) break;
      if (at === -1) continue;
      text = preamble.slice(at + RESULT.length);
      preamble = undefined;
    }
    const end = text.indexOf('"');
    const digits = odd + (end === -1 ? text : text.slice(0, end));
    odd = digits.length % 2 === 0 ? '' : digits.slice(-1);
    yield Buffer.from(digits.slice(0, digits.length - odd.length), 'hex');
    if (end !== -1) return;
  }
  throw new LocalRunError(
    `anvil did not tell its state (${preamble?.slice(0, MAX_PREAMBLE) ?? 'it ended early'})`,
  );
}
