// The options of every verb that connects, checked before anything is started.
import { readFileSync, statSync } from 'node:fs'
import { PROTOCOL_VERSIONS } from 'mcpwire/types'
import { parseEnvOptions, parseHeaderOptions } from '../install/entry-options.ts'
import type { ServerEntry } from '../install/server-entry.ts'
import { usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import { showLine } from '../terminal/terminal-text.ts'

export interface ConnectionOptions {
  env?: readonly string[]
  envFile?: string
  cwd?: string
  header?: readonly string[]
  /** A token, `env:NAME`, or `-` for stdin. */
  token?: string
  /** `false` with `--no-login`. */
  login?: boolean
  mode?: string
  /** Seconds. */
  timeout?: number
  /** Seconds. */
  connectTimeout?: number
  config?: string
  /** The old way to name a server of `--config`. */
  server?: string
  yes?: boolean
  debug?: boolean
}

const MODES = ['auto', 'modern', 'legacy', ...PROTOCOL_VERSIONS]

const OLD_MODES = new Map([
  ['handshake', 'legacy'],
  ['stateless', 'modern'],
])

export function checkMode(mode: string | undefined): void {
  if (mode === undefined || MODES.includes(mode)) return
  const renamed = OLD_MODES.get(mode)
  if (renamed !== undefined)
    throw usageFailure(`The mode "${mode}" is now called "${renamed}".`, `Use --mode ${renamed}.`)
  throw usageFailure(`Unknown mode "${mode}".${suggest(mode, MODES)}`, `Use one of: ${MODES.join(', ')}.`)
}

/** The entry with what the options add. Fails for options that this kind of target does not take. */
export async function withOptions(entry: ServerEntry, options: ConnectionOptions): Promise<ServerEntry> {
  if ('url' in entry) {
    const unfit = (['env', 'envFile', 'cwd'] as const).find((name) => options[name] !== undefined)
    if (unfit !== undefined) throw usageFailure(`${FLAGS[unfit]} needs a file or a command as target.`)
    return { ...entry, headers: { ...entry.headers, ...parseHeaderOptions(options.header ?? []) } }
  }
  const unfit = (['header', 'token'] as const).find((name) => options[name] !== undefined)
  if (unfit !== undefined) throw usageFailure(`${FLAGS[unfit]} needs a URL target.`)
  if (options.login === true) throw usageFailure('--login needs a URL target.')
  return {
    ...entry,
    env: { ...entry.env, ...(await readEnv(options)) },
    ...(options.cwd !== undefined && { cwd: checkFolder(options.cwd) }),
  }
}

function checkFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path
  throw usageFailure(`The folder ${showLine(path)} of --cwd does not exist.`, 'Check the path.')
}

const FLAGS = { env: '--env', envFile: '--env-file', cwd: '--cwd', header: '--header', token: '--token' } as const

/** Single variables override those of the file. */
export async function readEnv({
  env = [],
  envFile,
}: Pick<ConnectionOptions, 'env' | 'envFile'>): Promise<Record<string, string>> {
  const fromFile = envFile === undefined ? {} : await (await import('../install/env-file.ts')).readEnvFile(envFile)
  return { ...fromFile, ...parseEnvOptions(env) }
}

/** The token of `--token`. What was given is never repeated. */
export function readToken(token: string | undefined): string | undefined {
  if (token === undefined) return undefined
  const [, name] = /^env:(.+)$/.exec(token) ?? []
  const value = name === undefined ? (token === '-' ? readStdin() : token) : process.env[name]
  if (value === undefined)
    throw usageFailure(`The variable ${name} of --token is not set.`, 'Set it, or use another one.')
  const trimmed = value.trim()
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw usageFailure(
      'The value of --token is not a token.',
      'Use --token <value>, --token env:NAME, or --token - for stdin.',
    )
  }
  return trimmed
}

function readStdin(): string {
  return readFileSync(0, 'utf8')
}
