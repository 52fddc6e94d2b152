import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { accountOperationsOf, operationsOf, readDescription } from '../../api/read-description.ts';

const DESCRIPTION = readDescription();
const DOCUMENT = 'data-api.yaml';
const FORMATS = ['address', 'hash', 'uint256', 'date-time', 'date', 'address-list'];

/** What a client has got. */
export interface Received {
  readonly status: number;
  /** `content-type` of the answer. */
  readonly contentType: string | null;
  readonly body: string;
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
for (const format of FORMATS) ajv.addFormat(format, true);
ajv.addSchema(DESCRIPTION as object, DOCUMENT);
const validators = new Map<string, ValidateFunction>();

/** Operations of the description by their ids, with the response of each status. */
const RESPONSES = new Map(
  [...operationsOf(DESCRIPTION), ...accountOperationsOf(DESCRIPTION)].map(
    ({ operation }) => [operation.operationId, operation.responses] as const,
  ),
);

/**
 * Checks an answer against the description: its status, its type, every field and no further one.
 * @throws Error that names what is wrong
 */
export function checkContract(operationId: string, received: Received): unknown {
  const reference = RESPONSES.get(operationId)?.[String(received.status)];
  if (reference === undefined)
    throw new Error(`${operationId} never answers ${received.status}: ${received.body}`);
  if (received.contentType !== 'application/json') throw new Error(`${operationId}: ${received.contentType}`);
  const body: unknown = JSON.parse(received.body);
  const validate = validatorOf(`${reference.$ref}/content/application~1json/schema`);
  if (!validate(body))
    throw new Error(`${operationId} ${received.status}: ${ajv.errorsText(validate.errors)}`);
  if (received.status !== 200) checkErrorCode(operationId, reference.$ref, body);
  return body;
}

/** Checks a value against a schema of the description. @throws Error that names what is wrong */
export function checkSchema(name: string, value: unknown): void {
  const validate = validatorOf(`#/components/schemas/${name}`);
  if (!validate(value)) throw new Error(`${name}: ${ajv.errorsText(validate.errors)}`);
}

function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known !== undefined) return known;
  const made = ajv.compile({ $ref: `${DOCUMENT}${pointer}` });
  validators.set(pointer, made);
  return made;
}

function checkErrorCode(operationId: string, reference: string, body: unknown): void {
  const name = reference.split('/').at(-1) ?? '';
  const codes = DESCRIPTION.components.responses[name]?.['x-error-codes'] ?? [];
  const { code } = (body as { readonly error: { readonly code: string } }).error;
  if (!codes.includes(code)) throw new Error(`${operationId}: ${code} is no code of ${name}`);
}
