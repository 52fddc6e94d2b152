import { requireVariable } from '../runtime/environment.ts';

/** Credentials of AWS; with a session token if they are temporary. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. The SDK also looks for credentials in files, single
 * sign-on, other roles and the instance, with clients of four more services; a function only has those of its
 * environment.
 */
export const defaultProvider = () => async (): Promise<Credentials> => ({
  accessKeyId: requireVariable('AWS_ACCESS_KEY_ID'),
  secretAccessKey: requireVariable('AWS_SECRET_ACCESS_KEY'),
  sessionToken: process.env.AWS_SESSION_TOKEN,
});
