import { NodeError } from '../fetch/node-error.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import { type NodeCall, type NodeResponse, resultOf, sendBatch } from '../fetch/send-batch.ts';
import type { SteadyUpstream } from '../fetch/sticky-upstream.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';

/** The node is of another chain than the stage file says. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

/** The call that `wrongChainError` reads the result of. */
export const CHAIN_ID_CALL = { method: 'eth_chainId', params: [] };

/** The error of a node that tells another chain id; undefined if it is the right one. */
function wrongChainError(result: unknown, chainId: number): WrongChainError | undefined {
  const told = Number(result);
  return told === chainId ? undefined : new WrongChainError(`the node has chain id ${told}, not ${chainId}`);
}

/**
 * Answers of an upstream beside the one that is read, which counts for nothing if it is of another chain, or has no calls left.
 * @throws {WrongChainError}, or NodeError where it does not say
 */
export async function askAside(
  { connection, pace }: SteadyUpstream,
  chainId: number,
  calls: readonly NodeCall[],
  options: ReadDeadline,
): Promise<readonly NodeResponse[]> {
  const asked = [CHAIN_ID_CALL, ...calls];
  // Unlike the node that is read, it is not waited for.
  if ((await pace?.admits(asked.length)) === false)
    throw new NodeError('rate_limited', 'no calls are left by callsPerSecond');
  const [chain, ...answers] = (await sendBatch(connection, asked, options)).responses;
  const wrongChain = wrongChainError(resultOf(chain), chainId);
  if (wrongChain !== undefined) throw wrongChain;
  return answers;
}

/**
 * A reader that asks its node for its chain id before the first block, and again on demand: blocks of
 * another chain would look like a reorganisation, or like a new chain.
 * @param chainId EIP-155 chain id of the stage file
 * @param onWrongChain is told of a node of another chain
 * @returns the reader, and what forgets the answer
 */
export function withChainCheck(
  reader: ChainReader,
  node: RetryingClient,
  chainId: number,
  onWrongChain?: () => void,
): ChainReader & { forget(): void } {
  let isRight = false;
  let moves = 0;

  const check = async (options: ReadDeadline): Promise<void> => {
    if (isRight) return;
    const movesBefore = moves;
    const [answer] = (await node.send([CHAIN_ID_CALL], options)).responses;
    // What a node has said counts for no other.
    const isSameNode = moves === movesBefore;
    const wrongChain = wrongChainError(resultOf(answer), chainId);
    if (wrongChain !== undefined) {
      if (isSameNode) onWrongChain?.();
      throw wrongChain;
    }
    if (!isSameNode) return check(options);
    isRight = true;
  };

  return {
    ...reader,
    async head(options) {
      await check(options);
      return reader.head(options);
    },
    async header(number, options) {
      await check(options);
      return reader.header(number, options);
    },
    async *pages(from, to, options) {
      await check(options);
      yield* reader.pages(from, to, options);
    },
    forget() {
      moves += 1;
      isRight = false;
    },
  };
}
