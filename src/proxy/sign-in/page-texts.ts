// The pages that a user sees. Everything on them that came from outside is escaped, and they run no script.
import type { HttpExchange } from '../../http/exchange.ts'

export interface Page {
  readonly status: number
  readonly title: string
  /** Paragraphs of text. */
  readonly lines: readonly string[]
  /** A form with one button, which sends these values. */
  readonly form?: { readonly button: string; readonly values: Readonly<Record<string, string>> }
  readonly links?: readonly { readonly text: string; readonly href: string }[]
}

const MAX_TEXT = 200

export function sendPage(exchange: HttpExchange, page: Page, headers: Readonly<Record<string, string>> = {}): void {
  exchange.reply(page.status, render(page), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    // The address of the page opens it: no other site learns it.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
}

function render({ title, lines, form, links = [] }: Page): string {
  const body = [
    `<h1>${escaped(title)}</h1>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    ...links.map(({ text, href }) => `<p><a href="${escaped(href)}">${escaped(text)}</a></p>`),
    ...(form === undefined ? [] : [renderForm(form)]),
  ]
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    '<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}',
    'button{font:inherit;padding:.5rem 1rem}</style></head><body><main>',
    ...body,
    '</main></body></html>\n',
  ].join('')
}

function renderForm({ button, values }: NonNullable<Page['form']>): string {
  const fields = Object.entries(values).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  return `<form method="get">${fields.join('')}<button>${escaped(button)}</button></form>`
}

/** A name from outside as a page shows it: one line, and not a long one. */
export function shown(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
