import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { requestTelemetry } from '../shared/runtime/gathered-metrics.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { MetricLine, MetricValues } from '../shared/runtime/metrics.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import type { NodeCalls } from '../shared/upstream/connection/node-connection.ts';
import { BillCheck, chargedCu, type PriceAgain, type ToldBill } from './bill-check.ts';
import type { HttpResponse } from './contract/http-response.ts';
import type { KeyHolder, Meter } from './contract/metering.ts';
import type { AuthenticatedEvent } from './middlewares.ts';
import type { ListOfHour } from './store/price-lists.ts';
import { StoreUnavailableError } from './store/store.ts';

const FIRST_ERROR_STATUS = 400;
const NOT_FOUND_STATUS = 404;
const INTERNAL_ERROR_STATUS = 500;
const BILLED_HEADER = 'X-CU-Billed';
const LANE_HEADER = 'X-CU-Lane';
const CACHE_HEADER = 'X-Cache';
/** Of a file, whose end has its bill. */
const FILE_HEADER = 'X-CU-Max';

/** Renders the response to a request that failed for a reason of ours. */
type RenderFailure = (event: APIGatewayProxyEvent) => HttpResponse;

/** An event, and what it was answered. */
interface Answered {
  readonly event: APIGatewayProxyEvent;
  readonly response: unknown;
}

/** What is left to do once a response is sent. Resolves to the metrics of the request, whose first line the run joins. */
export type Conclude = (answered: Answered) => Promise<readonly MetricLine[]>;

/** How the price of an answered request is worked out again; undefined: it is not. */
export type PriceOfAnswer = (answered: Answered) => PriceAgain | undefined;

/** What middy calls as a run begins, ends, and is late. */
interface RunHooks {
  requestStart(request: Request): void;
  requestEnd(request: Request): Promise<void>;
  timeoutEarlyResponse(): never;
}

interface RunFiguresOptions {
  /** Name of the function: a dimension of its metrics. */
  readonly function: string;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default requestTelemetry() */
  readonly telemetry?: Telemetry;
  /** Calls for nodes, which are emitted with the run that is the next to end. @default it makes none */
  readonly nodeCalls?: NodeCalls;
  /** The price lists of the ledger. @default prices are not worked out again */
  readonly listOf?: ListOfHour;
  /** Time since the process started, in milliseconds, once its code is loaded. @default as Node.js measures it */
  readonly startMs?: number;
}

/** What is known of a run that continues. */
interface Run {
  readonly startedAt: number;
  /** Calls for nodes that its process had made when it began. */
  readonly nodeCalls: number;
  /** When its response was ready; absent: it is not, or was sent before the handler. */
  readyAt?: number;
  hasFailed: boolean;
  isEarlyTimeout: boolean;
  hasWrongBill?: boolean;
}

/** What middy keeps beside a request as long as it continues. */
interface Keeping {
  readonly internal: Record<string, unknown>;
}

/** The holder of an admitted request, which has one of its own. */
interface CountedHolder extends KeyHolder {
  /** Its charges so far. Absent: it was not admitted. */
  charges?: ReturnType<BillCheck['charged']>[];
}

/** The handler was still at work when the time that the response needs began. */
class EarlyTimeoutError extends Error {
  override readonly name = 'EarlyTimeoutError';
}

/**
 * Figures of the runs of a function behind the API, by function and by version, so that one version can be distinguished from
 * another while both serve. They are emitted when the run ends, whatever became of it: also when the handler threw, was
 * late, or never began.
 */
export class RunFigures {
  readonly #function: string;
  readonly #clock: Clock;
  readonly #telemetry: Telemetry;
  readonly #nodeCalls: NodeCalls | undefined;
  readonly #bills: BillCheck;
  /** Emitted with the first run. */
  #startMs: number | undefined;

  constructor({
    function: name,
    clock = systemClock,
    telemetry = requestTelemetry(),
    nodeCalls,
    listOf,
    startMs = performance.now(),
  }: RunFiguresOptions) {
    this.#function = name;
    this.#startMs = Math.round(startMs);
    this.#clock = clock;
    this.#telemetry = telemetry;
    this.#nodeCalls = nodeCalls;
    this.#bills = new BillCheck({ clock, listOf });
  }

  /** The same meter; what it admits and charges is counted for the run. */
  count(meter: Meter): Meter {
    return {
      ...meter,
      admit: async (holder, price) => {
        const admission = await meter.admit(holder, price);
        if (admission.admitted) chargesOf(holder);
        return admission;
      },
      charge: (holder, cu, usage, hour) => {
        const charge = meter.charge(holder, cu, usage, hour);
        chargesOf(holder).push(this.#bills.charged(cu, charge.lane));
        return charge;
      },
    };
  }

  /** Hooks of middy that begin a run and end it. @param conclude what else is to be done at the end */
  hooks(conclude: Conclude = async () => [], priceOf?: PriceOfAnswer): RunHooks {
    return {
      requestStart: ({ internal }: Keeping) => {
        const nodeCalls = this.#nodeCalls?.total ?? 0;
        const run: Run = { startedAt: this.#clock.now(), nodeCalls, hasFailed: false, isEarlyTimeout: false };
        internal.run = run;
      },
      requestEnd: async (request) => {
        const { event, response, context } = request;
        const answered = { event: event as APIGatewayProxyEvent, response };
        let lines: readonly MetricLine[] = [];
        try {
          lines = await conclude(answered);
        } catch (error) {
          this.#fail(request, error);
          throw error;
        } finally {
          // `requestStart` has begun it.
          const run = (request as Keeping).internal.run as Run;
          await this.#checkBill(answered, run, priceOf?.(answered));
          this.#emit(answered, run, context.functionVersion, lines);
        }
      },
      timeoutEarlyResponse: () => {
        throw new EarlyTimeoutError('the handler was still at work');
      },
    };
  }

  /**
   * Turns every thrown error into a response. Register it first: error middlewares run in reverse, so the first one has
   * the last word.
   */
  answerErrors(render: RenderFailure): MiddlewareObj<APIGatewayProxyEvent, HttpResponse> {
    return {
      after: (request) => {
        this.#ready(request);
      },
      onError: (request) => {
        this.#ready(request);
        this.#fail(request, request.error);
        return render(request.event);
      },
    };
  }

  #ready(request: Keeping): void {
    const run = runOf(request);
    if (run !== undefined) run.readyAt = this.#clock.now();
  }

  #fail(request: Keeping & { readonly event: unknown }, error: unknown): void {
    const run = runOf(request);
    if (run !== undefined) {
      run.hasFailed = true;
      run.isEarlyTimeout = error instanceof EarlyTimeoutError;
    }
    const { requestContext } = request.event as APIGatewayProxyEvent;
    this.#telemetry.log('error', 'request_failed', {
      requestId: requestContext.requestId,
      error: errorField(error),
    });
  }

  /** Never rejects. A run that failed may have charged for a response that another one has replaced. */
  async #checkBill(
    { event, response }: Answered,
    run: Run,
    priceAgain: PriceAgain | undefined,
  ): Promise<void> {
    const { holder, requestContext } = event as AuthenticatedEvent;
    const charges = (holder as CountedHolder | undefined)?.charges ?? [];
    const told = run.hasFailed ? undefined : toldBill(event, response);
    const hasCalledNodes = this.#nodeCalls === undefined || this.#nodeCalls.total > run.nodeCalls;
    const of = { requestId: requestContext.requestId, account: holder?.account, keyId: holder?.keyId };
    try {
      const found = await this.#bills.find({ charges, told, hasCalledNodes }, priceAgain);
      if (found === undefined) return;
      run.hasWrongBill = true;
      const lane = told?.lane ?? charges.at(-1)?.lane;
      this.#telemetry.log('error', 'bills_disagree', {
        ...of,
        reason: found.rule,
        ...(lane !== undefined && { lane }),
        error: found.detail,
      });
    } catch (error) {
      const level = error instanceof StoreUnavailableError ? 'warn' : 'error';
      this.#telemetry.log(level, 'bill_not_checked', { ...of, error: errorField(error) });
    }
  }

  #emit(
    { event, response }: Answered,
    run: Run,
    version: string,
    [first = {}, ...others]: readonly MetricLine[],
  ): void {
    const now = this.#clock.now();
    const of = { Function: this.#function, Version: version };
    const values = this.#values(event, run, (response as HttpResponse | undefined)?.statusCode, now);
    const account = (event as Partial<AuthenticatedEvent>).holder?.account;
    const startMs = this.#startMs;
    this.#startMs = undefined;
    const nodeCalls = this.#nodeCalls?.take() ?? new Map<string, number>();
    const ofChain = nodeCalls.get(first.dimensions?.Chain ?? '');
    nodeCalls.delete(first.dimensions?.Chain ?? '');
    const told = {
      ...first,
      ...(ofChain !== undefined && { values: { ...first.values, NodeCalls: ofChain } }),
      run: { of, values },
      fields: {
        ...first.fields,
        ...(account !== undefined && { account }),
        ...(startMs !== undefined && { startMs }),
      },
    };
    const elsewhere = [...nodeCalls].map(
      ([Chain, NodeCalls]): MetricLine => ({ values: { NodeCalls }, dimensions: { Chain } }),
    );
    for (const line of [told, ...others, ...elsewhere]) this.#telemetry.emit(line, now);
  }

  #values(
    { holder, blameless, hasFailed, isKeyless }: Partial<AuthenticatedEvent>,
    run: Run,
    status: number | undefined,
    now: number,
  ): MetricValues {
    const isInternal = run.hasFailed || hasFailed === true || status === INTERNAL_ERROR_STATUS;
    const charges = (holder as CountedHolder | undefined)?.charges;
    const isDue = status !== undefined && status < FIRST_ERROR_STATUS && !isInternal && blameless !== true;
    const isFailed = isInternal || blameless === true || (status ?? 0) >= INTERNAL_ERROR_STATUS;
    return {
      RunTime: (run.readyAt ?? now) - run.startedAt,
      ...(isFailed && { FailedAnswers: 1 }),
      ...(isInternal && { InternalErrors: 1 }),
      ...(run.isEarlyTimeout && { EarlyTimeouts: 1 }),
      ...(status === NOT_FOUND_STATUS && isKeyless !== true && { NotFoundAnswers: 1 }),
      ...(isDue && charges !== undefined && { ChargedComputeUnits: chargedCu(charges) }),
      ...(run.hasWrongBill === true && { BillsDisagree: 1 }),
    };
  }
}

/** Undefined: the function has no hooks that begin one. */
function runOf({ internal }: Keeping): Run | undefined {
  return internal.run as Run | undefined;
}

function chargesOf(holder: CountedHolder): NonNullable<CountedHolder['charges']> {
  holder.charges ??= [];
  return holder.charges;
}

/** What a response tells of its bill: in headers, or as a file at its end, which a client may not have waited for. */
function toldBill(event: Partial<AuthenticatedEvent>, response: unknown): ToldBill | undefined {
  const { headers } = (response ?? {}) as Partial<HttpResponse>;
  if (headers === undefined || headers[FILE_HEADER] !== undefined) return event.toldBill;
  const { [BILLED_HEADER]: billed = '0', [LANE_HEADER]: lane, [CACHE_HEADER]: cacheMarks } = headers;
  return { billedCu: Number(billed), lane, cacheMarks };
}
