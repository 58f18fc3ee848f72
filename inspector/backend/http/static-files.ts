// The page and its files, from memory, with the headers that keep everything else out.
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
}

/** Nothing is loaded from elsewhere, nothing runs that is not in app.js, and no other page shows this one in a frame. */
export function pagePolicy(sandboxOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    `frame-src ${sandboxOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** On every answer, whatever it is. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

export interface StaticFiles {
  /** Whether there is such a file; it is then sent. */
  send(path: string, response: ServerResponse, sandboxOrigin: string): boolean
}

/** Reads the files once. `folder` ends with a slash. */
export function loadStaticFiles(folder: URL): StaticFiles {
  const files = new Map(
    Object.entries(TYPES).map(([name, type]) => [
      name === 'index.html' ? '/' : `/${name}`,
      { type, content: readFileSync(new URL(name, folder)) },
    ]),
  )
  return {
    send(path, response, sandboxOrigin) {
      const file = files.get(path)
      if (file === undefined) return false
      response.writeHead(200, {
        ...COMMON_HEADERS,
        'content-type': file.type,
        'content-length': file.content.length,
        'content-security-policy': pagePolicy(sandboxOrigin),
      })
      response.end(file.content)
      return true
    },
  }
}
