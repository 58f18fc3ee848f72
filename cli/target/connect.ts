// Connects a verb to its target, and ends everything that it started when the verb is done or interrupted.
import { Client, type ClientOptions, ConnectError, MCPError, TransportError } from 'mcpwire'
import { type ClientTarget, sse } from 'mcpwire/client'
import { stdio } from 'mcpwire/node'
import { missingScopes } from '../errors/classify.ts'
import { explainStartFailure, StderrLines } from '../errors/start-failure.ts'
import type { RemoteEntry, ServerEntry } from '../install/server-entry.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { createDeferred } from '../terminal/primitives.ts'
import { startSpinner } from '../terminal/progress.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { type ConnectionOptions, checkMode, readToken } from './connection-options.ts'
import type { LoginChoices } from './kept-login.ts'
import { lazyLogin } from './login.ts'
import { loginNeeded, scopesMissing, tokenRefused } from './login-needed.ts'
import { isRunByUs, ownFileOf, type Target } from './target.ts'
import { isLoopback } from './url-words.ts'

export interface ConnectRequest {
  readonly target: Target
  readonly options: ConnectionOptions
  readonly output: Output
  readonly interruption: AbortSignal
  /** What `mcpwire login` was asked for. */
  readonly login?: { readonly choices?: LoginChoices; readonly opensBrowser?: boolean }
  /** Callbacks and extensions of the verb; the client is there once they are called. */
  readonly clientOptions?: (client: () => Client) => ClientOptions
}

/** Children are ended within three seconds, also at Ctrl-C. */
const SHUTDOWN = { flushMs: 200, graceMs: 1_200, terminateMs: 800, killMs: 500 }

/** Runs `use` with an open client. Resolves to `undefined` where nobody reads the result any more. */
export async function withClient<T>(
  request: ConnectRequest,
  use: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  const { interruption, output, options } = request
  checkMode(options.mode)
  const interrupted = createDeferred<never>()
  interrupted.promise.catch(() => {})
  const onAbort = () => interrupted.reject(interruption.reason)
  if (interruption.aborted) onAbort()
  interruption.addEventListener('abort', onAbort)
  const clients: Client[] = []
  const work = connect(request, clients).then((client) =>
    use(client).catch((error) => {
      throw explainLostServer(error, request.target.entry) ?? explainScopes(error, request) ?? error
    }),
  )
  try {
    return await Promise.race([work, output.readerGone.then(() => undefined), interrupted.promise])
  } finally {
    work.catch(() => {})
    output.status(undefined)
    await Promise.all(clients.map((client) => client.close()))
    interruption.removeEventListener('abort', onAbort)
  }
}

async function connect(request: ConnectRequest, clients: Client[]): Promise<Client> {
  const { target, output } = request
  const stopSpinner = startSpinner(output, `Connecting to ${target.label}`)
  try {
    const client = await openFirst(request, clients)
    const { serverInfo, protocolVersion } = client
    output.detail(`Connected to ${showLine(serverInfo?.name ?? 'a server')} by revision ${showLine(protocolVersion)}`)
    return client
  } finally {
    stopSpinner()
  }
}

/** A URL without a path may be the server, or its host. */
async function openFirst(request: ConnectRequest, clients: Client[]): Promise<Client> {
  const { entry, candidates } = request.target
  if (!('url' in entry) || candidates === undefined || candidates.length < 2) return open(request, entry, clients)
  let first: unknown
  for (const url of candidates) {
    try {
      return await open(request, { ...entry, url }, clients)
    } catch (error) {
      if (!isWrongPlace(error)) throw error
      first ??= error
    }
  }
  const tried = candidates.map((url) => showLine(url)).join(' and ')
  throw new Failure(`There is no MCP server at ${tried}.`, {
    slug: 'not-an-mcp-server',
    exitCode: EXIT.noConnection,
    hint: 'Add the path of the endpoint to the URL.',
    cause: first,
  })
}

/** Something answered, and it was no MCP server. */
function isWrongPlace(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.phase === 'authorize') return false
  let cause: unknown = error
  for (let depth = 0; depth < 10 && cause instanceof Error; depth += 1) {
    if (typeof (cause as { code?: unknown }).code === 'string') return false
    cause = cause.cause
  }
  return !/\btimed out\b|\bwithin \d/.test(error.message)
}

function explainScopes(error: unknown, { target, options }: ConnectRequest): Failure | undefined {
  const { entry, label } = target
  const scopes = missingScopes(error)
  if (scopes === undefined || !('url' in entry)) return undefined
  return scopesMissing(label, scopes, options.token !== undefined || hasAuthorization(entry.headers), error)
}

/** Of a file, whose process nobody has started by hand. */
function explainLostServer(error: unknown, entry: ServerEntry): Failure | undefined {
  const file = ownFileOf(entry)
  const end = error instanceof MCPError && error.local ? error.cause : undefined
  if (file === undefined || !(end instanceof TransportError)) return undefined
  const { exitCode, signal } = end
  if (exitCode === undefined && signal === undefined) return undefined
  const shown = showLine(file)
  const how = signal === undefined ? `ended with exit code ${exitCode}` : `was ended by ${signal}`
  return new Failure(`${shown} ${how} while it served.`, {
    slug: 'connection-lost',
    exitCode: EXIT.noConnection,
    hint: `Look for what ends it, such as process.exit(). Run \`mcpwire run ${shown}\` to see what it prints.`,
    cause: error,
  })
}

async function open(request: ConnectRequest, entry: ServerEntry, clients: Client[]): Promise<Client> {
  const { output, clientOptions } = request
  const isOurs = isRunByUs(entry)
  const lines = new StderrLines(isOurs, (line) => output.note(`[stderr] ${showLine(line)}`))
  const reached: { client?: Client } = {}
  const own = clientOptions?.(() => reached.client as Client) ?? {}
  // Malformed messages of a server are what its author wants to see; those of something else at a URL say nothing.
  let isServer = 'command' in entry
  const showFault = (text: string) => output[isServer ? 'note' : 'detail'](`mcpwire: ${showLine(text)}`)
  const client = new Client(toClientTarget(entry, lines, request), {
    ...toClientOptions(request),
    ...('url' in entry && entry.type !== 'sse' && httpOptions(entry, request)),
    onFault: (fault) => showFault(fault.message),
    ...own,
  })
  reached.client = client
  clients.push(client)
  try {
    await client.open()
    isServer = true
  } catch (error) {
    const explained = 'command' in entry ? explainStartFailure(error, isOurs, ownFileOf(entry)) : undefined
    lines.release({ withoutLast: explained?.repeatedLines ?? 0 })
    await client.close()
    throw explained?.failure ?? asLoginNeeded(error, entry, request) ?? error
  }
  lines.release()
  return client
}

function toClientTarget(entry: ServerEntry, lines: StderrLines, request: ConnectRequest): ClientTarget {
  if ('command' in entry) return stdio({ ...entry, stderr: lines.take, shutdown: SHUTDOWN })
  return entry.type === 'sse' ? sse(entry.url, httpOptions(entry, request)) : entry.url
}

/** Tokens go over https, and to this machine. A server elsewhere that is reached by http can have none. */
function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopback(hostname)
}

function httpOptions({ headers, url }: RemoteEntry, { options, output, target, login }: ConnectRequest) {
  const token = readToken(options.token)
  const hasOwn = hasAuthorization(headers)
  if (token !== undefined && hasOwn) throw usageFailure('--token and an Authorization header exclude each other.')
  // A login needs a person: one who reads stderr, where the address is printed.
  const mayLogIn = options.login === true || (options.login !== false && output.hasStatus)
  const provider = () => lazyLogin({ mayLogIn, output, label: target.label, ...login })
  return {
    headers,
    ...(token !== undefined && { auth: token }),
    ...(token === undefined && !hasOwn && options.login !== false && isConfidential(url) && { auth: provider() }),
  }
}

function hasAuthorization(headers: RemoteEntry['headers']): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** A server that asks for a login, where there is no token of the user's own: the command that logs in. */
function asLoginNeeded(error: unknown, entry: ServerEntry, { options, target }: ConnectRequest): Failure | undefined {
  if (!(error instanceof ConnectError) || !('url' in entry) || hasAuthorization(entry.headers)) return undefined
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth += 1) {
    if (cause instanceof Failure) return cause
  }
  if (error.phase !== 'authorize' || error.status !== 401) return undefined
  if (options.token !== undefined) return tokenRefused(target.label)
  return options.login === true ? undefined : loginNeeded(target.label)
}

function toClientOptions({ options, output }: ConnectRequest): ClientOptions {
  const { mode, timeout, connectTimeout } = options
  return {
    ...(mode !== undefined && { mode: mode as 'auto' }),
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    ...(connectTimeout !== undefined && { connectTimeoutMs: connectTimeout * 1000 }),
    logLevel: output.isVerbose ? 'debug' : 'info',
    onLog: ({ level, logger, data }) => {
      const from = logger === undefined ? level : `${level} ${logger}`
      output.note(`[${showLine(from)}] ${showLine(typeof data === 'string' ? data : JSON.stringify(data))}`)
    },
  }
}
