// A server as configuration files and options of commands describe it: a command to start, or a URL to call.
import { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { HEADER_NAME, HEADER_VALUE } from './entry-options.ts'

export interface CommandEntry {
  command: string
  args: string[]
  env: Record<string, string>
  /** Read from files only: not every host knows it. */
  cwd?: string
}

export interface RemoteEntry {
  url: string
  headers: Record<string, string>
  /** Default: Streamable HTTP. */
  type?: 'http' | 'sse'
}

export type ServerEntry = CommandEntry | RemoteEntry

/** Where an entry stands, for messages. */
export interface EntryPlace {
  file: string
  server: string
}

const COMMAND_KEYS = new Set(['type', 'command', 'args', 'env', 'cwd'])
const REMOTE_KEYS = new Set(['type', 'url', 'headers'])
const REMOTE_TYPES = new Map<unknown, 'http' | 'sse'>([
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['sse', 'sse'],
])

/** An entry of a file, checked. Members that are not known are warnings. */
export function checkServerEntry(value: unknown, place: EntryPlace): { entry: ServerEntry; warnings: string[] } {
  if (!isPlainObject(value)) throw badEntry(place, '', 'must be an object')
  const [hasCommand, hasURL] = [Object.hasOwn(value, 'command'), Object.hasOwn(value, 'url')]
  if (hasCommand === hasURL)
    throw badEntry(place, '', `must have 'command' or 'url', and has ${hasURL ? 'both' : 'neither'}`)
  const entry = hasCommand ? checkCommand(value, place) : checkRemote(value, place)
  const known = hasCommand ? COMMAND_KEYS : REMOTE_KEYS
  const unknown = Object.keys(value).filter((key) => !known.has(key))
  const warnings = unknown.map((key) => `${where(place, key)} is unknown and is ignored.`)
  if (JSON.stringify(entry).includes('${')) {
    warnings.push(`${where(place, '')} uses \${…}, which only its host replaces. mcpwire uses the text as it is.`)
  }
  return { entry, warnings }
}

/** Members that must all be strings: an environment or headers. */
export function checkStrings(value: unknown, place: EntryPlace, key: string): Record<string, string> {
  if (value === undefined) return {}
  if (!isPlainObject(value)) throw badEntry(place, key, 'must be an object')
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') throw badEntry(place, `${key}.${name}`, 'must be a string')
  }
  return value as Record<string, string>
}

function checkCommand(value: Record<string, unknown>, place: EntryPlace): CommandEntry {
  const { command, args = [], env, cwd, type = 'stdio' } = value
  if (typeof command !== 'string' || command === '')
    throw badEntry(place, 'command', 'must be a string that is not empty')
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw badEntry(place, 'args', 'must be an array of strings')
  }
  if (type !== 'stdio') throw badEntry(place, 'type', `must be 'stdio' where there is a command`)
  if ([command, ...args].some((word) => (word as string).includes('\0')))
    throw badEntry(place, 'args', 'must hold no NUL')
  if (cwd !== undefined && typeof cwd !== 'string') throw badEntry(place, 'cwd', 'must be a string')
  return { command, args, env: checkStrings(env, place, 'env'), ...(cwd !== undefined && { cwd }) }
}

function checkRemote(value: Record<string, unknown>, place: EntryPlace): RemoteEntry {
  const { url, headers, type = 'http' } = value
  if (typeof url !== 'string' || !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw badEntry(place, 'url', 'must be a URL that begins with http:// or https://')
  }
  const known = REMOTE_TYPES.get(type)
  if (known === undefined) throw badEntry(place, 'type', `must be 'http' or 'sse' where there is a URL`)
  const fields = checkStrings(headers, place, 'headers')
  for (const [name, field] of Object.entries(fields)) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(field))
      throw badEntry(place, `headers.${name}`, 'is not an HTTP header')
  }
  return { url, headers: fields, ...(Object.hasOwn(value, 'type') && { type: known }) }
}

function badEntry(place: EntryPlace, key: string, what: string): Failure {
  return new Failure(`${where(place, key)} ${what}.`, { hint: 'Correct the file, then run the command again.' })
}

function where({ file, server }: EntryPlace, key: string): string {
  const entry = `the server '${showLine(server)}'`
  return `${file}: ${key === '' ? entry : `'${showLine(key)}' of ${entry}`}`
}
