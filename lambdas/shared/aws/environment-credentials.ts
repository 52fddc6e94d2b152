import { fromHttp } from '@aws-sdk/credential-provider-http';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { requireVariable } from '../runtime/environment.ts';
import { errorField, log } from '../runtime/log.ts';

/** The SDK asks for new credentials from this time before the old ones expire, in milliseconds, with each request. */
const SDK_MARGIN_MS = 300_000;
/** Age of credentials of variables from which on they are read again, in milliseconds. */
const READ_AGAIN_MS = 60_000;
/** Time after which an endpoint that failed is asked again, while the old credentials are valid, in milliseconds. */
const CREDENTIALS_ASK_AGAIN_MS = 5_000;
const ENDPOINT_TIMEOUT_MS = 1_000;
const ENDPOINT_ATTEMPTS = 2;
/** Where a host of containers tells their credentials. */
const ENDPOINT_VARIABLE = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';

/** Credentials of AWS; with a session token if they are temporary. `expiration`: when the SDK is to have asked again. */
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

type ReadCredentials = () => Promise<AwsCredentials>;

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. The SDK also looks for credentials in files, single
 * sign-on, other roles and the instance, with clients of four more services; a function has those of its variables, or an endpoint
 * that its variables name.
 */
export const defaultProvider = (): ReadCredentials =>
  process.env[ENDPOINT_VARIABLE] === undefined ? variableCredentials() : endpointCredentials();

/** Those of the variables, read again each minute: a process of many requests outlives credentials. */
export function variableCredentials(clock: Clock = systemClock): ReadCredentials {
  return async () => ({
    accessKeyId: requireVariable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: requireVariable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: process.env.AWS_SESSION_TOKEN,
    expiration: new Date(clock.now() + SDK_MARGIN_MS + READ_AGAIN_MS),
  });
}

/**
 * Those of the endpoint. While it fails, the old ones will do as long as they are valid, and it is asked again every few seconds: not
 * with each request.
 */
export function endpointCredentials(
  clock: Clock = systemClock,
  ask: ReadCredentials = fromHttp({ timeout: ENDPOINT_TIMEOUT_MS, maxRetries: ENDPOINT_ATTEMPTS }),
): ReadCredentials {
  let last: AwsCredentials | undefined;
  return async () => {
    try {
      last = await ask();
      return last;
    } catch (error) {
      const now = clock.now();
      log('warn', 'credentials_not_renewed', { error: errorField(error) });
      if (last === undefined || now >= (last.expiration?.getTime() ?? now)) throw error;
      return { ...last, expiration: new Date(now + SDK_MARGIN_MS + CREDENTIALS_ASK_AGAIN_MS) };
    }
  };
}
