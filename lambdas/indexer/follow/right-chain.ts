import type { PatientNode } from '../fetch/patient-node.ts';
import type { ChainReader, ReadOptions } from './chain-reader.ts';

/** The node is of another chain than the stage file says. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

export interface RightChainParts {
  readonly reader: ChainReader;
  readonly node: PatientNode;
  /** EIP-155 chain id of the stage file. */
  readonly chainId: number;
}

/**
 * A reader that asks its node for its chain id before the first block, and again whenever it is told to: blocks of
 * another chain would look like a reorganisation, or like a new chain.
 * @returns the reader, and what forgets the answer
 */
export function ofRightChain({ reader, node, chainId }: RightChainParts): ChainReader & { forget(): void } {
  let isRight = false;

  const check = async (options: ReadOptions): Promise<void> => {
    if (isRight) return;
    const [answer] = (await node.send([{ method: 'eth_chainId', params: [] }], options)).answers;
    if (answer === undefined || 'error' in answer) throw answer?.error ?? new Error('no answer');
    if (Number(answer.result) !== chainId)
      throw new WrongChainError(`the node is of chain ${Number(answer.result)}, not ${chainId}`);
    isRight = true;
  };

  return {
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
      isRight = false;
    },
  };
}
