import type {
  ExecuteStatementCommandInput,
  ExecuteStatementCommandOutput,
  Field,
} from '@aws-sdk/client-rds-data';
import type { ConnectRdsData } from '../../lambdas/shared/aws/rds-data.ts';
import type { startDataApiEndpoint } from '../../local/database/data-api-endpoint.ts';

type DataApiEndpoint = Awaited<ReturnType<typeof startDataApiEndpoint>>;

/** A field as it is in JSON. */
type JsonField = Omit<Field, 'blobValue'> & { readonly blobValue?: string };

/** What the RDS Data API answers: to a statement, a beginning, or with an error. */
interface JsonAnswer extends Omit<ExecuteStatementCommandOutput, 'records' | '$metadata'> {
  readonly records?: readonly JsonField[][];
  readonly transactionId?: string;
  readonly __type?: string;
  readonly message?: string;
}

/**
 * Connects to an endpoint of this process without the SDK: in tests that make thousands of requests, half of their time
 * went into signatures, schemas and sockets. The tests of the chain database itself go through all of these.
 */
export function connectInProcess(answer: DataApiEndpoint['answer']): ConnectRdsData {
  async function call(path: string, input: object): Promise<JsonAnswer> {
    const { status, body } = await answer(path, JSON.stringify(input));
    const output: JsonAnswer = JSON.parse(body);
    if (status === 200) return output;
    // As an exception of the SDK is.
    const { __type: name, message } = output;
    throw Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
  }
  return () => ({
    async execute(input) {
      const { records, ...output } = await call('/Execute', withTextParameters(input));
      const answered = { ...output, $metadata: {} };
      return records === undefined
        ? answered
        : { ...answered, records: records.map((row) => row.map(toField)) };
    },
    begin: async (input) => String((await call('/BeginTransaction', input)).transactionId),
    async commit(input) {
      await call('/CommitTransaction', input);
    },
    async rollBack(input) {
      await call('/RollbackTransaction', input);
    },
  });
}

function withTextParameters({ parameters = [], ...input }: ExecuteStatementCommandInput): object {
  const inText = parameters.map(({ value, ...parameter }) => ({
    ...parameter,
    value: value && inJson(value),
  }));
  return { ...input, parameters: inText };
}

function inJson(field: Field): unknown {
  if (field.blobValue !== undefined) return { blobValue: Buffer.from(field.blobValue).toString('base64') };
  // JSON has no number that is none; the SDK names it.
  if (field.doubleValue !== undefined && !Number.isFinite(field.doubleValue))
    return { doubleValue: String(field.doubleValue) };
  return field;
}

function toField(field: JsonField): Field {
  if (field.blobValue === undefined) return field as Field;
  return { blobValue: new Uint8Array(Buffer.from(field.blobValue, 'base64')) };
}
