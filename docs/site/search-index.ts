import { RPC_METHODS } from '../../api/rpc-methods.ts';
import { FRONT_ERRORS } from '../../lambdas/rpc/response/front-errors.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { weightOf } from '../../lambdas/shared/methods/method-facts.ts';
import type { Html } from './html.ts';
import { dataErrors, type SiteOperation } from './operations.ts';
import type { SitePage } from './page.ts';
import { operationHref } from './pages/data-group.ts';
import { errorAnchor } from './parts.ts';

/** What the search can find. */
interface SearchEntry {
  readonly kind: 'Method' | 'Operation' | 'Error' | 'Page';
  readonly title: string;
  readonly detail: string;
  readonly href: string;
  /** Words of the text there, each once, in lower case, for what has no title. */
  readonly words?: string;
}

const MIN_WORD_LENGTH = 3;

/** Everything that the search can find, in the order in which equal finds are shown. */
export function searchIndex(operations: readonly SiteOperation[], pages: readonly SitePage[]): SearchEntry[] {
  return [
    ...methodEntries(),
    ...operationEntries(operations),
    ...errorEntries(operations),
    ...pageEntries(operations, pages),
  ];
}

function methodEntries(): SearchEntry[] {
  return Object.values(RPC_METHODS)
    .flat()
    .map(({ method, summary }) => ({
      kind: 'Method' as const,
      title: method,
      detail: `${weightOf(method)} CU · ${summary}`,
      href: `rpc-methods.html#${method}`,
    }));
}

function operationEntries(operations: readonly SiteOperation[]): SearchEntry[] {
  return operations.map((operation) => ({
    kind: 'Operation',
    title: operation.summary,
    detail: `${operation.path.replace('/v1/data', '')} · ${operation.id} · ${operation.cu} CU`,
    href: operationHref(operation),
    words: uniqueWords(
      [
        operation.description,
        ...operation.parameters.map(({ description }) => description),
        ...operation.fields.map(({ name, meaning }) => `${name} ${meaning}`),
      ].join(' '),
    ),
  }));
}

function errorEntries(operations: readonly SiteOperation[]): SearchEntry[] {
  const rpc = Object.entries({ ...ERROR_CATALOGUE, ...FRONT_ERRORS }).map(([reason, { code, message }]) => ({
    kind: 'Error' as const,
    title: reason,
    detail: `${code} · ${message}`,
    href: `errors.html#${errorAnchor('rpc', reason)}`,
  }));
  const data = dataErrors(operations).flatMap(({ status, codes, meaning }) =>
    codes.map((name) => ({
      kind: 'Error' as const,
      title: name,
      detail: `Data API · ${status} · ${meaning}`,
      href: `errors.html#${errorAnchor('data', name)}`,
    })),
  );
  return [...rpc, ...data];
}

/** Pages and their sections, but for those that are operations. */
function pageEntries(operations: readonly SiteOperation[], pages: readonly SitePage[]): SearchEntry[] {
  const listed = new Set(operations.map(operationHref));
  return pages.flatMap(({ file, title, group, summary, sections, body }) => [
    {
      kind: 'Page' as const,
      title,
      detail: group,
      href: file,
      words: uniqueWords(`${summary} ${sections.length === 0 ? textOf(body.text) : ''}`),
    },
    ...sections
      .map((section) => ({
        kind: 'Page' as const,
        title: section.title,
        detail: `${group} · ${title}`,
        href: `${file}#${section.id}`,
        words: wordsOf(body, section.id),
      }))
      .filter(({ href }) => !listed.has(href)),
  ]);
}

/** The words of a section of a page, each once. */
function wordsOf({ text }: Html, id: string): string {
  const [, after = ''] = text.split(`<section id="${id}">`);
  const [section = ''] = after.split('</section>');
  return uniqueWords(textOf(section));
}

function textOf(markup: string): string {
  return markup.replaceAll(/<[^>]*>|&\w+;/g, ' ');
}

function uniqueWords(text: string): string {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9_.-]+/)
    .map((word) => word.replaceAll(/^[.-]+|[.-]+$/g, ''));
  return [...new Set(words.filter(({ length }) => length >= MIN_WORD_LENGTH))].join(' ');
}
