import { FRONT_ERRORS } from '../../../lambdas/rpc/response/front-errors.ts';
import { MAX_BATCH_CALLS, MAX_BODY_BYTES } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { type CatalogueEntry, ERROR_CATALOGUE } from '../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { jsonBlock } from '../code.ts';
import type { SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import { renderInline, renderPageMarkdown, sectionOf } from '../markdown.ts';
import { type DescribedError, dataErrors, type SiteOperation } from '../operations.ts';
import type { SitePage } from '../page.ts';
import { code, errorAnchor, section, table } from '../parts.ts';

/** What the catalogue leaves to be filled in, where it is the same for every chain. */
const FIXED: Readonly<Record<string, number>> = {
  batch_too_large: MAX_BATCH_CALLS,
  body_too_large: MAX_BODY_BYTES,
};

/** An error as its line of the table needs it. */
interface RpcError extends Pick<CatalogueEntry, 'code' | 'message' | 'retryable'> {
  readonly httpStatus: number;
}

/** Every error of the JSON-RPC interface that the gateway makes, by reason. */
export const RPC_ERRORS: readonly (readonly [reason: string, error: RpcError])[] = [
  ...Object.entries(ERROR_CATALOGUE),
  ...Object.entries(FRONT_ERRORS),
];

/** Both catalogues of errors. */
export function errorsPage(facts: SiteFacts, operations: readonly SiteOperation[]): SitePage {
  return {
    file: 'errors.html',
    title: 'Errors',
    group: 'Reference',
    summary: 'Branch on the reason, not on the number: several meanings share one.',
    sections: [
      { id: 'json-rpc', title: 'JSON-RPC' },
      { id: 'node', title: 'Errors of the node' },
      { id: 'keys', title: 'Keys' },
      { id: 'data-api', title: 'Data API' },
    ],
    body: html`${section('json-rpc', 'JSON-RPC', rpcErrors(facts))}
${section('node', 'Errors of the node', nodeErrors())}
${section('keys', 'Keys', keys())}
${section('data-api', 'Data API', dataTable(facts, dataErrors(operations)))}`,
  };
}

function rpcErrors(facts: SiteFacts): Html {
  const [first, ...rest] = sectionOf(facts.words.jsonRpc, 'Errors that the gateway makes').split('\n\n');
  const details = rest.filter((block) => !block.startsWith('|') && !block.startsWith('Errors of the node'));
  const { code: number, message, retryable } = ERROR_CATALOGUE.rate_limited;
  const example = {
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: number,
      message,
      data: { reason: 'rate_limited', retryable, limit: 'cu', retry_after_ms: 840 },
    },
  };
  return html`${renderPageMarkdown(first ?? '')}${jsonBlock('HTTP 429', example)}
${table(['Reason', 'Code', 'HTTP', 'Message', 'Retry'], RPC_ERRORS.map(rpcRow))}
${renderPageMarkdown(details.join('\n\n'))}`;
}

function rpcRow([reason, error]: (typeof RPC_ERRORS)[number]): readonly (Html | string | number)[] {
  const fixed = FIXED[reason];
  const message = fixed === undefined ? error.message : error.message.replace('<max>', String(fixed));
  return [
    html`<span id="${errorAnchor('rpc', reason)}">${code(reason)}</span>`,
    code(error.code),
    error.httpStatus,
    message,
    retryMark(error.retryable),
  ];
}

function retryMark(retryable: boolean): Html {
  return retryable ? html`<span class="yes">yes</span>` : html`<span class="no">no</span>`;
}

function nodeErrors(): Html {
  return html`<p>Errors of the node pass through byte for byte, without <code>reason</code>. Most are
billed, as a call that reverts is; <a href="metering.html#billed">some are not</a>.</p>`;
}

function keys(): Html {
  return html`<p>A missing, malformed, unknown or disabled key, an unknown chain of JSON-RPC and an unknown route are all HTTP 404
with an empty body; it does not show which one. Nothing is billed.</p>`;
}

function dataTable({ description }: SiteFacts, errors: readonly DescribedError[]): Html {
  const rows = errors.map(({ status, codes, meaning }) => [
    html`${codes.map((name) => html`<span id="${errorAnchor('data', name)}">${code(name)}</span> `)}`,
    status,
    renderInline(meaning),
  ]);
  return html`<p>An object with one member, <code>error</code>, of exactly two fields. No error is billed.</p>
${jsonBlock('HTTP 404', description.components.schemas.ErrorBody?.example)}
${table(['Code', 'HTTP', 'Meaning'], rows)}`;
}
