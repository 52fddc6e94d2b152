import { REQUESTS_PER_ENVIRONMENT_VARIABLE } from './environment.ts';

/** Descriptors that kept connections to nodes may have together, of the 1,024 of a process. */
const KEPT_DESCRIPTORS = 512;
/** A wait can outlive its request: on instances, Lambda ends no request that has run out of time. */
const WAITS_PER_REQUEST = 2;
/** What a process has that serves one request at a time. */
const OF_ONE_REQUEST = {
  waitsOfChain: 32,
  socketsOfNode: 64,
  keptSocketsOfNode: 16,
  awsConnections: 50,
  largeBodyBytes: Number.POSITIVE_INFINITY,
};
/** Of the 2 GB that an environment has at least: as much again is garbage, or compressed, until it is collected. */
const LARGE_BODY_BYTES = 384 * 1024 * 1024;

/** What one process may have at a time. */
export interface ProcessBounds {
  /** Requests of clients that wait for the nodes of one chain. */
  readonly waitsOfChain: number;
  /** Connections that are open to one node. */
  readonly socketsOfNode: number;
  /** Connections that are kept to one node while they are idle. */
  readonly keptSocketsOfNode: number;
  /** Connections to one service of AWS. */
  readonly awsConnections: number;
  /** Bytes of large responses of nodes; one request has bounds of its own. */
  readonly largeBodyBytes: number;
}

/** Requests that this process may have at a time: as the function's variable says, else one. */
export function requestsAtATime(environment: NodeJS.ProcessEnv = process.env): number {
  const requests = Number(environment[REQUESTS_PER_ENVIRONMENT_VARIABLE] ?? 1);
  if (!Number.isSafeInteger(requests) || requests < 1)
    throw new Error(`${REQUESTS_PER_ENVIRONMENT_VARIABLE} must be a whole number from 1`);
  return requests;
}

/**
 * What a process may have that serves so many requests at a time. Nothing is less than for one request, but connections that are
 * kept while idle: those to all nodes together stay below the descriptors of a process.
 * @param nodes upstreams of all chains
 */
export function processBounds(requests: number, nodes: number): ProcessBounds {
  if (requests === 1) return OF_ONE_REQUEST;
  const waits = WAITS_PER_REQUEST * requests;
  return {
    waitsOfChain: Math.max(OF_ONE_REQUEST.waitsOfChain, waits),
    socketsOfNode: Math.max(OF_ONE_REQUEST.socketsOfNode, waits),
    keptSocketsOfNode: Math.max(1, Math.min(requests, Math.floor(KEPT_DESCRIPTORS / Math.max(1, nodes)))),
    awsConnections: Math.max(OF_ONE_REQUEST.awsConnections, requests),
    largeBodyBytes: LARGE_BODY_BYTES,
  };
}
