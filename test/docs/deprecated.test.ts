// What the newest revision calls deprecated says so in the editor.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The comment right before a declaration. */
function commentOf(file: string, declaration: string): string {
  const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
  const [before = ''] = source.split(declaration, 1)
  expect(before.length, `${file} has ${declaration}`).toBeLessThan(source.length)
  return before.slice(before.lastIndexOf('/**'))
}

it.each([
  ['types/features/roots.ts', 'export interface Root '],
  ['types/features/sampling.ts', 'export type CreateMessageRequestParams'],
  ['types/features/sampling.ts', '  includeContext?'],
  ['types/features/logging.ts', 'export type LoggingLevel'],
  ['client/client.ts', '  async sendPing('],
  ['client/client.ts', '  async setLoggingLevel('],
  ['client/transports/sse.ts', 'export function sse('],
  ['server/http/handler-options.ts', '  legacySse?'],
  ['auth/client/oauth.ts', '  dynamicRegistration?'],
])('B-DEP-01 %s marks `%s`', (file, declaration) => {
  expect(commentOf(file, declaration)).toContain('@deprecated')
})
