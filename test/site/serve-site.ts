// The built site on a port of its own, as any static host would serve it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const siteFolder = fileURLToPath(new URL('../../site/dist/', import.meta.url))

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
  md: 'text/markdown; charset=utf-8',
}

/** Paths of all pages, without the one for unknown paths. */
export function sitePages(): string[] {
  return readdirSync(siteFolder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .sort()
}

export interface ServedSite extends AsyncDisposable {
  readonly origin: string
}

export async function serveSite(): Promise<ServedSite> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname))
    const file = join(siteFolder, path.endsWith('/') ? `${path}index.html` : path)
    if (!file.startsWith(siteFolder) || !existsSync(file)) {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
    response.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
