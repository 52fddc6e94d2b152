import { LOGS_METHOD } from '../methods/method-table.ts';
import { MAX_MESSAGE_LENGTH, REVERT_CODE, saysStateGone } from './error-message.ts';
import { type LimitRefusal, readLimit, type SubscriptionLimit, saysOfCaller } from './subscription-limit.ts';

/**
 * What a node's refusal of a call is about:
 * - `addresses`: fewer addresses or topics pass; fewer blocks never help.
 * - `range`: fewer blocks pass.
 * - `results`: fewer logs or bytes pass; the range alone says nothing.
 * - `batch`: the node takes no batches. `batch_size`: it takes smaller ones.
 * - `pruned`: history or state is dropped there.
 * - `unknown`: the block is not there yet, or not on this branch.
 * - `time`: it took too long.
 * - `method`: the node does not have it.
 * - `rate`, `quota`, `plan`, `auth`: a limit of the operator's subscription.
 */
export type RefusalKind =
  | 'addresses'
  | 'range'
  | 'results'
  | 'batch'
  | 'batch_size'
  | 'pruned'
  | 'unknown'
  | 'time'
  | 'method'
  | SubscriptionLimit;

const PRUNED_CODE = 4444;
const NOT_FOUND_CODE = -32001;
/** `method not found`, `method not supported`, Besu's `method not enabled`. */
export const METHOD_CODES: ReadonlySet<number> = new Set([-32601, -32004, -32604]);
/** QuickNode's code for a range. */
const RANGE_CODE = -32614;
const METHOD_STATUSES: ReadonlySet<number> = new Set([405, 415]);
const TIME_STATUSES: ReadonlySet<number> = new Set([408, 504, 524]);

/** Spans are bounded: a message can be as long as a client makes it. */
const BATCH_OFF =
  /\bbatch(?:es|ing)?\b.{0,40}(?:disabled|not (?:supported|allowed|enabled|permitted|available))|no batch(?:es|ing)?\b|does not (?:support|allow) batch/i;
const BATCH_SIZE =
  /\bbatch\b.{0,40}(?:large|big|size|limit|exceed|many)|max(?:imum)? batch|errors? in batch/i;
const ADDRESSES =
  /less number of address|max addresses|addresses or topics per|contains \d+ filters|too many (?:addresses|topics)/i;
const RESULTS =
  /response (?:size|is too|too)|returned more than|returns? too many|too many (?:logs|results)|max results|exceeded max limit|is too big|logs over more|try paginating|(?:more than|exceeds?) \d+ (?:results|logs)/i;
/** The caller's own range: it ends before it begins. */
const INVALID_RANGE = /invalid (?:block )?range|begin(?:s|ning)? .{0,40}(?:after|greater)/i;
const RANGE =
  /\branges?\b|blocks? distance|(?:too many|requested) blocks|limit the query to|query must be smaller|query exceeds limit|is limited to|too large, max/i;
const BEYOND_HEAD =
  /beyond (?:the )?(?:current )?head|after last accepted block|unfinalized data|height must be less/i;
const PRUNED =
  /neither stored nor reproducible|data before txnum|receipt not available for|height is not available|required historical|due to pruning|no historical (?:rpc|data)|maximum proof window|requested block is too old|index(?:ing|es)? (?:is |are )?(?:still )?in progress/i;
const UNKNOWN =
  /header not found|unknown (?:block|transaction)|(?:block|transaction\b|receipt\b).{0,200} not found|could not (?:be found|find block)|no block\b|not (?:currently )?canonical|(?:does not|doesn't) exist yet/i;
const TIME = /time[ -]?out|timed out|deadline exceeded/i;
const METHOD =
  /method .{0,200}(?:not (?:found|available|supported|allowed|exist|enabled)|does not exist)|unsupported method|not whitelisted|not allowed to access method|module .{0,100} is disabled|method not enabled/i;
const BARE_RESOURCE = /^\W*resource not found\W*$/i;
/** Beside a time: the plan of a provider bounds how long a call may take. */
const PLAN_OF_TIME = /tier/i;

/**
 * Reads a node's refusal of a call: its status, its code, and its words, which are those of the message and of
 * `error.data`. Undefined for what it says of the call itself (a revert, wrong parameters), and for unknown words. Words
 * come first: the same code means a range here and a rate there.
 */
export function readRefusal(refusal: LimitRefusal): RefusalKind | undefined {
  const { method, status, code, message = '' } = refusal;
  const words = message.slice(0, MAX_MESSAGE_LENGTH);
  if (code === REVERT_CODE || saysOfCaller(words)) return undefined;
  const limit = readLimit(refusal);
  if (limit?.by === 'status' && (limit.limit === 'rate' || limit.limit === 'quota')) return limit.limit;
  const size = readSize(method, code, words);
  if (size !== undefined) return size === 'own' ? undefined : size;
  if (TIME_STATUSES.has(status) || (TIME.test(words) && PLAN_OF_TIME.test(words))) return 'time';
  if (limit !== undefined) return limit.limit;
  return readAbsence(method, code, words) ?? (TIME.test(words) ? 'time' : readMethod(status, code, words));
}

/** What the call asks too much of. `own`: it asks for what cannot be. */
function readSize(method: string, code: number | undefined, words: string): RefusalKind | 'own' | undefined {
  if (BATCH_OFF.test(words)) return 'batch';
  if (BATCH_SIZE.test(words)) return 'batch_size';
  if (method !== LOGS_METHOD) return undefined;
  if (ADDRESSES.test(words)) return 'addresses';
  if (INVALID_RANGE.test(words)) return 'own';
  if (BEYOND_HEAD.test(words)) return 'unknown';
  if (RESULTS.test(words)) return 'results';
  return RANGE.test(words) || code === RANGE_CODE ? 'range' : undefined;
}

function readAbsence(method: string, code: number | undefined, words: string): RefusalKind | undefined {
  if (code === NOT_FOUND_CODE && BARE_RESOURCE.test(words)) return 'method';
  if (BEYOND_HEAD.test(words)) return 'unknown';
  if (code === PRUNED_CODE || PRUNED.test(words) || saysStateGone(words)) return 'pruned';
  if (!UNKNOWN.test(words)) return undefined;
  // A range whose blocks the node had: it has no more of them.
  return method === LOGS_METHOD && /block not found \d/i.test(words) ? 'pruned' : 'unknown';
}

function readMethod(status: number, code: number | undefined, words: string): RefusalKind | undefined {
  if (METHOD_STATUSES.has(status) || (code !== undefined && METHOD_CODES.has(code))) return 'method';
  return METHOD.test(words) ? 'method' : undefined;
}
