import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const CONTRACT_FILE = join(import.meta.dirname, 'contract.yaml');
/** What `npm run rules` saw, by id: the digest of a clause whose tests failed as they should. */
const SEEN_FILE = join(import.meta.dirname, 'contract-seen.json');
const DIGEST_CHARACTERS = 8;

/** What breaks a clause in the smallest way. */
type Break =
  /** An alteration of a response, by its name. */
  | { readonly kind: 'response'; readonly alteration: string }
  /** A mutant of the simulation, by its name. */
  | { readonly kind: 'mutant'; readonly mutant: string }
  /** `text`, which stands once in the declaration `in` of a file, becomes `to`. */
  | {
      readonly kind: 'table' | 'change';
      readonly file: string;
      readonly in: string;
      readonly text: string;
      readonly to: string;
    };

/** A clause of the contract. */
export type Clause = Break & {
  readonly id: string;
  readonly words: string;
  readonly example: string;
  /** What the example costs, in words. */
  readonly price: string;
  /** Why a client cannot bring it about. Absent: it can, or no check asks for it by itself. */
  readonly unseen?: string;
  /** Ids of clauses whose checks show this one too. */
  readonly checks?: readonly string[];
  /** Each a file and the title of its test: `test/a.test.ts: title`. */
  readonly tests?: readonly string[];
};

/** The contract, as it is written. */
export interface Contract {
  /** What a request is checked for, in this order. */
  readonly order: readonly string[];
  readonly sections: readonly { readonly title: string; readonly clauses: readonly Clause[] }[];
}

/** Reads `api/contract.yaml`. */
export function readContract(): Contract {
  return parse(readFileSync(CONTRACT_FILE, 'utf8')) as Contract;
}

/** Every clause, in the order of the contract. */
export function clausesOf({ sections }: Contract): readonly Clause[] {
  return sections.flatMap(({ clauses }) => clauses);
}

/** The contract as a gateway serves it: by id, what a client can read without the code. */
export function publicContract(contract: Contract) {
  return Object.fromEntries(
    clausesOf(contract).map(({ id, words, example, price }) => [id, { words, example, price }]),
  );
}

/** The clauses that were seen to fail, by id: {@link clauseDigest} of each as it was. */
export function readSeen(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(SEEN_FILE, 'utf8')) as Record<string, string>;
}

/** A digest of what breaks a clause and of what shows it: with another one, it was not seen. */
export function clauseDigest({ words: _w, example: _e, price: _p, unseen: _u, ...shown }: Clause): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, DIGEST_CHARACTERS);
}
