import { requireVariable } from '../runtime/environment.ts';

/** Credentials of AWS; with a session token if they are temporary. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/**
 * Stands in for `@aws-sdk/credential-provider-node` in what is bundled. The SDK looks for credentials in files, single
 * sign-on, other roles and the instance too, by clients of four more services; a function has those of its environment.
 */
export const defaultProvider = () => async (): Promise<Credentials> => ({
  accessKeyId: requireVariable('AWS_ACCESS_KEY_ID'),
  secretAccessKey: requireVariable('AWS_SECRET_ACCESS_KEY'),
  sessionToken: process.env.AWS_SESSION_TOKEN,
});
