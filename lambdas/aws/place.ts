import { ExchangeError } from './service-error.ts';
import type { Credentials } from './sign-request.ts';

/** Region, endpoint and credentials, where they are not those of the environment. */
export interface ClientConfig {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: Credentials | (() => Promise<Credentials>);
}

/** A service as AWS names it. */
export interface ServiceNames {
  /** In its host name and in signatures. */
  readonly name: string;
  /** Variable of the environment that may name another endpoint. */
  readonly endpointVariable: string;
}

/** Where requests go, and in whose name. */
export interface Place {
  readonly endpoint: URL;
  readonly region: string;
  credentials(): Promise<Credentials>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that Lambda sets in each function.
 * @throws ExchangeError if neither they nor `config` say the region or the credentials
 */
export function readPlace(service: ServiceNames, config: ClientConfig, environment: Environment): Place {
  const region = config.region ?? environment.AWS_REGION ?? missing('AWS_REGION');
  const endpoint =
    config.endpoint ?? environment[service.endpointVariable] ?? publicEndpoint(service, region);
  const { credentials = fromEnvironment(environment) } = config;
  return {
    endpoint: new URL(endpoint),
    region,
    credentials: async () => (typeof credentials === 'function' ? credentials() : credentials),
  };
}

/** Ends of host names in the partitions of AWS, by the beginning of their regions' names; else `amazonaws.com`. */
const HOST_SUFFIXES: readonly (readonly [regions: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
];

function publicEndpoint({ name }: ServiceNames, region: string): string {
  const [, suffix] = HOST_SUFFIXES.find(([regions]) => region.startsWith(regions)) ?? [];
  return `https://${name}.${region}.${suffix ?? 'amazonaws.com'}`;
}

function fromEnvironment(environment: Environment): Credentials {
  return {
    accessKeyId: environment.AWS_ACCESS_KEY_ID ?? missing('AWS_ACCESS_KEY_ID'),
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? missing('AWS_SECRET_ACCESS_KEY'),
    sessionToken: environment.AWS_SESSION_TOKEN,
  };
}

function missing(variable: string): never {
  throw new ExchangeError(`${variable} is not set`, false);
}
