import { type CataloguedError, type CatalogueEntry, ERROR_CATALOGUE } from './error-catalogue.ts';

/** JSON of the `error` object of a gateway error. */
export function renderError(error: CataloguedError): Buffer {
  const { code, message, retryable } = entryOf(error);
  const data = { reason: error.reason, retryable, ...error.details };
  return Buffer.from(JSON.stringify({ code, message: fillIn(message, error.parameters ?? {}), data }));
}

/** HTTP status of a single call, or of a whole request, that fails with the error. */
export function httpStatusOf(error: CataloguedError): CatalogueEntry['httpStatus'] {
  return entryOf(error).httpStatus;
}

function entryOf(error: CataloguedError): CatalogueEntry {
  return ERROR_CATALOGUE[error.reason];
}

/** Puts the parameters in place of the `<name>`s of a message; what they hold is not looked at again. */
function fillIn(message: string, parameters: Readonly<Record<string, string | number>>): string {
  return message.replaceAll(/<(\w+)>/g, (placeholder, name: string) =>
    Object.hasOwn(parameters, name) ? String(parameters[name]) : placeholder,
  );
}
