import { hash } from 'node:crypto';
import { asked, textIn } from './ask-aws.ts';
import type { Place } from './stack.ts';

/** Versions that S3 deletes at once. */
const VERSIONS_AT_ONCE = 1_000;
/** Times that a bucket is asked what it still has: a hundred million versions. */
const MAX_BATCHES = 100_000;

/** Deletes all versions of all objects of a bucket; resolves to whether it is empty or gone: some cannot be deleted yet. */
export async function emptyBucket({ ask, region }: Place, bucket: string): Promise<boolean> {
  const call = { service: 's3', action: `/${bucket}`, region } as const;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const query = { versions: '', 'max-keys': String(VERSIONS_AT_ONCE) };
    const listed = await asked(ask, { ...call, request: { query } }, ['NoSuchBucket', '404']);
    const versions = versionsIn(listed ?? '');
    if (versions.length === 0) return true;
    const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${versions.join('')}</Delete>`;
    const headers = {
      'content-type': 'application/xml',
      'x-amz-checksum-sha256': hash('sha256', body, 'base64'),
    };
    const request = { method: 'POST', query: { delete: '' }, headers, body } as const;
    // What is locked is refused one by one, within a response that is well.
    if (((await asked(ask, { ...call, request })) ?? '').includes('<Error>')) return false;
  }
  return false;
}

/** The versions of a list as a request to delete them names them: the texts stay escaped. */
function versionsIn(xml: string): string[] {
  return [...xml.matchAll(/<(Version|DeleteMarker)>([\s\S]*?)<\/\1>/g)].map(([, , one = '']) => {
    const [key, version] = [textIn(one, 'Key'), textIn(one, 'VersionId')];
    return `<Object><Key>${key}</Key><VersionId>${version}</VersionId></Object>`;
  });
}
