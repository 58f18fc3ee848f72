// The error catalogue: every failure that a user can meet, with its cause and what to do about it.
import type { ErrorSlug } from 'mcpwire/types'
import { CALL } from './call.ts'
import { COMMAND_LINE } from './command-line.ts'
import { CONNECT } from './connect.ts'
import { DEFINE } from './define.ts'
import type { CatalogueEntry } from './entry.ts'

/** The groups of the list of all errors, by what the reader is doing. */
export const GROUPS = {
  'Connect to a server': CONNECT,
  'Define a server or a client': DEFINE,
  'Call a server': CALL,
  'Use the command line': COMMAND_LINE,
} as const

const ENTRIES = { ...CONNECT, ...DEFINE, ...CALL, ...COMMAND_LINE } as const

/** Every slug of the package has an entry: the compiler checks it. */
export const CATALOGUE: Readonly<Record<ErrorSlug | keyof typeof ENTRIES, CatalogueEntry>> = ENTRIES

export function findEntry(slug: string): CatalogueEntry | undefined {
  return Object.hasOwn(CATALOGUE, slug) ? CATALOGUE[slug as keyof typeof CATALOGUE] : undefined
}
