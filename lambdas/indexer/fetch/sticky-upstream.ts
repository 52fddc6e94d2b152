import type { PostedResponse } from '../../shared/http/send-request.ts';
import { UpstreamError } from '../../shared/http/upstream-error.ts';
import type { Soon } from '../../shared/runtime/soon.ts';
import type { CallPace } from '../../shared/upstream/health/call-pace.ts';
import type { NodePost } from './send-batch.ts';

/** Requests in a row that fail before the next upstream is read. */
const FAILURES_TO_MOVE_ON = 6;
const SERVER_ERROR = 500;
/** No request gets past a credential that is not accepted. */
const UNAUTHORIZED = 401;

function isHeld({ health }: SteadyUpstream): boolean {
  return health?.isHeld === true;
}

/** An upstream of the chain that the index can be read from. */
export interface SteadyUpstream {
  readonly name: string;
  readonly connection: NodePost;
  /** How often it may be asked. @default as often as wanted */
  readonly pace?: CallPace | undefined;
  /** Whether an operator keeps it out of use. @default false */
  readonly health?: { readonly isHeld: boolean };
}

/** The upstream that is read, and how another comes to be. */
export interface StickyUpstream extends NodePost {
  /** The upstream that is read. */
  current(): SteadyUpstream;
  /** The upstreams that are not read. */
  others(): readonly SteadyUpstream[];
  /** Reads from this one from now on. */
  moveTo(upstream: SteadyUpstream): void;
  /** Reads from the next of the stage file from now on. */
  moveOn(): void;
  /** What goes to this one, also once another is read. */
  through(upstream: SteadyUpstream): NodePost;
}

/**
 * One upstream of several, as long as it answers. After some failures in a row it is the turn of the next in the stage file, and at
 * once after one that is of another chain. Refusals of single calls and rate limits are no failures, nor is a request that needs
 * more time than it has. One that an operator holds is not asked.
 * @param onMove gets the name of the upstream that is read from now on
 * @param learnHolds learns which upstreams are held; never rejects. @default none ever is
 */
export function createStickyUpstream(
  upstreams: readonly SteadyUpstream[],
  onMove: (upstream: string) => void,
  learnHolds: () => Soon<unknown> = () => undefined,
): StickyUpstream {
  const turn = createTurn(upstreams, onMove);
  const { current, moveTo, moveOn } = turn;

  const postTo = async (
    receiver: () => SteadyUpstream,
    request: Parameters<NodePost['post']>[0],
  ): Promise<PostedResponse> => {
    const learning = learnHolds();
    if (learning instanceof Promise) await learning;
    if (isHeld(current())) moveTo(upstreams.find((one) => !isHeld(one)) ?? current());
    const upstream = receiver();
    if (isHeld(upstream)) throw new UpstreamError('unreachable', { sent: false, reusedSocket: false });
    try {
      const response = await upstream.connection.post(request);
      turn.count(upstream, response.status >= SERVER_ERROR || response.status === UNAUTHORIZED);
      return response;
    } catch (error) {
      const kind = error instanceof UpstreamError ? error.kind : undefined;
      if (kind === 'wrong_chain' && upstream === current()) moveOn();
      else if (kind !== 'timeout' || request.limitMs === undefined) turn.count(upstream, true);
      throw error;
    }
  };

  return {
    current,
    others: () => upstreams.filter((upstream) => upstream !== current() && !isHeld(upstream)),
    moveTo,
    moveOn,
    get lessons() {
      return current().connection.lessons;
    },
    get pace() {
      return current().pace;
    },
    get hearUnknownWords() {
      return current().connection.hearUnknownWords;
    },
    reserveIds: (count) => current().connection.reserveIds(count),
    post: (request) => postTo(current, request),
    through: (upstream) => ({
      ...upstream.connection,
      pace: upstream.pace,
      post: (request) => postTo(() => upstream, request),
    }),
  };
}

/** Whose turn it is: the first of the stage file, until some requests in a row have failed. */
function createTurn(upstreams: readonly SteadyUpstream[], onMove: (upstream: string) => void) {
  const [first] = upstreams;
  if (first === undefined) throw new Error('a chain has no upstream');
  let current = first;
  let failures = 0;
  const moveTo = (upstream: SteadyUpstream) => {
    failures = 0;
    if (upstream === current) return;
    current = upstream;
    onMove(current.name);
  };
  const moveOn = () => moveTo(upstreams[(upstreams.indexOf(current) + 1) % upstreams.length] ?? first);
  return {
    current: () => current,
    moveTo,
    moveOn,
    /** Requests that were under way at once fail at once; only those of the upstream in use count. */
    count(upstream: SteadyUpstream, isFailed: boolean) {
      if (upstream !== current) return;
      failures = isFailed ? failures + 1 : 0;
      if (failures >= FAILURES_TO_MOVE_ON) moveOn();
    },
  };
}
