import { type TemplateObject, type TemplateResource, unsupported } from '../template/template.ts';
import { type HeaderList, hasHeader } from './api-response.ts';
import { type ContextVariables, contextNames, renderTemplate, unsupportedInTemplate } from './context.ts';

const DEFAULT_CONTENT_TYPE = 'application/json';

/** A response as a template has it, of one content type. */
export interface ResponseTemplate {
  readonly contentType: string;
  readonly body: string;
  /** Header values; `variable` names a `$context` variable. */
  readonly headers: readonly { readonly name: string; readonly text: string; readonly isVariable: boolean }[];
}

/** A response without templates of its own. */
export function plainResponse(body: string): ResponseTemplate {
  return { contentType: DEFAULT_CONTENT_TYPE, body, headers: [] };
}

/**
 * Reads `ResponseTemplates` and `ResponseParameters`.
 * @param prefix of the parameters that are headers
 * @throws UnsupportedTemplateError for what a local run cannot render
 */
export function readResponseTemplate(
  resource: TemplateResource,
  { ResponseTemplates = {}, ResponseParameters = {} }: TemplateObject,
  prefix: string,
  defaultBody: string,
): ResponseTemplate {
  const templates = Object.entries(ResponseTemplates as Record<string, string>);
  const [contentType, body] = templates[0] ?? [DEFAULT_CONTENT_TYPE, defaultBody];
  const foreign = templates.length > 1 ? 'more than one' : unsupportedInTemplate(body);
  if (foreign !== undefined) throw unsupported(resource, `${foreign} in ResponseTemplates`);
  const headers = Object.entries(ResponseParameters as Record<string, string>).map(([parameter, value]) => {
    const text = /^'(.*)'$/.exec(value)?.[1];
    const variable = contextNames.find((known) => value === `context.${known}`);
    if (!parameter.startsWith(prefix) || (text ?? variable) === undefined)
      throw unsupported(resource, `${parameter}: ${value} in ResponseParameters`);
    return {
      name: parameter.slice(prefix.length),
      text: text ?? String(variable),
      isVariable: text === undefined,
    };
  });
  return { contentType, body, headers };
}

/** The headers and the body of a response, with the values of its request. */
export function renderResponse(
  { contentType, body, headers }: ResponseTemplate,
  variables: ContextVariables,
): { readonly headers: HeaderList; readonly body: Buffer } {
  const own = headers.map(
    ({ name, text, isVariable }) => [name, isVariable ? String(variables[text] ?? '') : text] as const,
  );
  return {
    headers: hasHeader(own, 'content-type') ? own : [['Content-Type', contentType], ...own],
    body: Buffer.from(renderTemplate(body, variables, '')),
  };
}
