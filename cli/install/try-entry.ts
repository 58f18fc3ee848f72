// Starts a server once as a host would, so that an entry that cannot work is not written.
import { tmpdir } from 'node:os'
import { Client, type ConnectError } from 'mcpwire'
import { sse } from 'mcpwire/client'
import { stdio } from 'mcpwire/node'
import { type Explained, explain } from '../errors/explain.ts'
import { explainStartFailure } from '../errors/start-failure.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { CommandEntry, ServerEntry } from './server-entry.ts'

export interface Trial {
  /** The server answers only after a login in the host. */
  readonly needsLogin: boolean
}

/** A command, with everything that it downloads. */
const COMMAND_MS = 30_000
const URL_MS = 10_000

/**
 * A command is started in a folder that is not the server's, with the short environment of a host and what the entry adds; a URL is
 * connected to. Both are asked for their tools. Throws `Failure` where that fails, which names the `file` that the entry runs.
 */
export async function tryEntry(entry: ServerEntry, signal?: AbortSignal, file?: string): Promise<Trial> {
  const cwd = process.platform === 'win32' ? tmpdir() : '/'
  const connectTimeoutMs = 'url' in entry ? URL_MS : COMMAND_MS
  const client = new Client(toTarget(entry, cwd), {
    connectTimeoutMs,
    timeoutMs: connectTimeoutMs,
    ...('url' in entry && entry.type !== 'sse' && { headers: entry.headers }),
  })
  const stop = () => void client.close()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await client.open()
    if (client.serverCapabilities?.tools !== undefined) await client.listTools()
    return { needsLogin: false }
  } catch (error) {
    signal?.throwIfAborted()
    if ('url' in entry) return judgeUrl(error)
    throw startFailure(error, entry, cwd, file)
  } finally {
    signal?.removeEventListener('abort', stop)
    await client.close()
  }
}

function toTarget(entry: ServerEntry, cwd: string) {
  if ('command' in entry) return stdio({ cwd, ...entry, stderr: 'ignore' })
  return entry.type === 'sse' ? sse(entry.url, { headers: entry.headers }) : entry.url
}

const MAX_STDERR_LINES = 5

const NOT_CHECKED = 'Use --no-check to write the entry anyway.'

/** A server that asks for a login is there: its host logs in. */
function judgeUrl(error: unknown): Trial {
  const { slug, message, fix, exitCode } = explain(error)
  if (slug === 'unauthorized') return { needsLogin: true }
  const hint = [fix, 'Nothing was written.', NOT_CHECKED].filter((line) => line !== undefined).join('\n')
  throw new Failure(message, {
    slug,
    hint,
    exitCode: exitCode === EXIT.bug ? EXIT.noConnection : exitCode,
    cause: error,
  })
}

function startFailure(error: unknown, entry: CommandEntry, cwd: string, file: string | undefined): Failure {
  const { message, slug, fix } = describe(error, file)
  const hints = [fix, `Nothing was written. The server was started in ${cwd}, as a host would start it.`]
  const names = missingVariables(entry)
  if (names.length > 0) {
    hints.push(`A host passes few variables on. Use --env ${names[0]} for what the server needs from this terminal.`)
  }
  return new Failure(message, {
    slug,
    hint: [...hints, NOT_CHECKED].filter((hint) => hint !== undefined).join('\n'),
    exitCode: EXIT.noConnection,
    cause: error,
  })
}

function describe(error: unknown, file: string | undefined): Pick<Explained, 'message' | 'slug' | 'fix'> {
  const explained = explainStartFailure(error, true, file)
  if (explained === undefined || (explained.repeatedLines === 0 && file === undefined)) return explain(error)
  const { message, slug, hint } = explained.failure
  const { stderr } = error as ConnectError
  // They have not been shown yet, so that they belong to the message.
  const shown = explained.repeatedLines > 0 ? [] : stderr.slice(-MAX_STDERR_LINES)
  const quoted =
    shown.length === 0 ? '' : ` The last lines of its stderr:\n${shown.map((line) => `  ${line}`).join('\n')}`
  return { message: `${message}${quoted}`, slug, fix: hint }
}

/** Variables of this terminal that change how Node starts, and that a host does not have. */
function missingVariables({ env }: CommandEntry): string[] {
  return ['NODE_OPTIONS', 'NODE_PATH'].filter((name) => process.env[name] !== undefined && env[name] === undefined)
}
