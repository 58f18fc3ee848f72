// What a command prints about a failure: message, fix, exit code and the slug that scripts and pages know it by.
import { inspect } from 'node:util'
import { ConnectError, MCPError, OAuthError, TransportError, UnsupportedProtocolVersionError } from 'mcpwire'
import { BackendError } from 'mcpwire/backend'
import { ErrorCode } from 'mcpwire/types'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'

export interface Explained {
  readonly slug: string
  readonly message: string
  /** What to do about it. */
  readonly fix: string | undefined
  /** The page about it, where there is one. */
  readonly help: string | undefined
  readonly exitCode: number
  /** For `--debug`, and for bugs of mcpwire. */
  readonly stack: string | undefined
}

/** Where the error catalogue fills in causes and pages: everything that a command prints about a failure passes here. */
export function explain(thrown: unknown): Explained {
  const known = { help: undefined, stack: stackOf(thrown) }
  const described = describe(thrown)
  return { ...known, ...described }
}

type Described = Omit<Explained, 'help' | 'stack'>

function describe(thrown: unknown): Described {
  if (thrown instanceof Failure) {
    const { slug, message, hint, exitCode } = thrown
    return { slug, message, fix: hint, exitCode }
  }
  if (thrown instanceof ConnectError) return describeConnectError(thrown)
  if (thrown instanceof TransportError) return describeTransportError(thrown)
  if (thrown instanceof OAuthError) {
    if (thrown.cause instanceof Failure) return describe(thrown.cause)
    return { slug: 'unauthorized', message: thrown.message, fix: LOGIN_FIX, exitCode: EXIT.notAuthorized }
  }
  if (thrown instanceof MCPError) return describeMCPError(thrown)
  if (thrown instanceof BackendError) {
    return { slug: 'backend', message: thrown.message, fix: undefined, exitCode: EXIT.noConnection }
  }
  const code = codeOf(thrown)
  if (code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL') return describeAddress(code, messageOf(thrown))
  // Errors that the package names, and that a command can't prevent: a result of the wrong form, too many rounds.
  const name = thrown instanceof Error ? NAMED.get(thrown.name) : undefined
  if (name !== undefined) return { ...name, message: messageOf(thrown) }
  return { slug: 'bug', message: messageOf(thrown), fix: BUG_FIX, exitCode: EXIT.bug }
}

const LOGIN_FIX = 'Use --token, or run the command on a terminal to log in.'
const PORT_FIX = 'Use --port 0 for any free port, or end the process that uses this one.'
const HOST_FIX = 'Use --host with an address of this machine.'
const BUG_FIX = 'This is a bug in mcpwire. Report it with the stack trace above.'

const refused = (slug: string, fix?: string): Omit<Described, 'message'> => ({ slug, fix, exitCode: EXIT.refused })

const NAMED = new Map<string, Omit<Described, 'message'>>([
  ['InvalidResultError', refused('invalid-result', 'Report it to the author of the server.')],
  ['InputRequiredRoundsExceededError', refused('rounds-exceeded')],
  ['ListenNotSupportedError', refused('listen-not-supported')],
  ['SubscriptionLost', { slug: 'subscription-lost', fix: 'Run the command again.', exitCode: EXIT.noConnection }],
  ['LimitError', refused('limit')],
  ['TaskGoneError', refused('task-gone')],
  ['TaskCancelledError', refused('task-cancelled')],
  ['TaskPendingError', { slug: 'timeout', fix: 'Use mcpwire tasks to ask for it later.', exitCode: EXIT.timedOut }],
])

function describeConnectError(error: ConnectError): Described {
  if (error.phase === 'authorize') {
    const slug = error.status === 403 ? 'forbidden' : 'unauthorized'
    return { slug, message: error.message, fix: LOGIN_FIX, exitCode: EXIT.notAuthorized }
  }
  const timedOut = findCause(error, (cause) => cause instanceof MCPError && cause.code === ErrorCode.RequestTimeout)
  if (timedOut || /\bwithin \d|timed? ?out/i.test(error.message)) {
    const fix = 'Use --connect-timeout to wait longer.'
    return { slug: 'server-silent', message: error.message, fix, exitCode: EXIT.timedOut }
  }
  const code = findCode(error)
  const known = code === undefined ? undefined : BY_CODE[code]
  const { slug, fix } = known ?? byPhase(error)
  return { slug, message: error.message, fix, exitCode: EXIT.noConnection }
}

const BY_CODE: Partial<Record<string, { slug: string; fix: string }>> = {
  ECONNREFUSED: { slug: 'connection-refused', fix: 'Start the server, or check the port.' },
  ENOTFOUND: { slug: 'host-not-found', fix: 'Check the host name.' },
  EAI_AGAIN: { slug: 'host-not-found', fix: 'Check the host name and your network.' },
  ENOENT: { slug: 'command-not-found', fix: 'Check the command, or install it.' },
  EACCES: { slug: 'command-not-found', fix: 'Make the file executable, or run it with its interpreter.' },
}

function byPhase(error: ConnectError): { slug: string; fix: string | undefined } {
  const { phase, exitCode, signal, message } = error
  if (/not JSON/.test(message)) return { slug: 'stdout-polluted', fix: 'Let the server print to stderr only.' }
  if (phase === 'spawn') return { slug: 'command-not-found', fix: 'Check the command, or install it.' }
  if (exitCode !== undefined || signal !== undefined) return { slug: 'server-exited', fix: undefined }
  const isVersion = findCause(error, (cause) => cause instanceof UnsupportedProtocolVersionError)
  if (isVersion || (phase === 'negotiate' && /revision|version/i.test(message))) {
    return { slug: 'version-unsupported', fix: 'Use --mode with a revision of the server.' }
  }
  return { slug: 'not-an-mcp-server', fix: 'Check the URL. The path is often /mcp.' }
}

function describeTransportError(error: TransportError): Described {
  if (error.status === 401 || error.status === 403) {
    const slug = error.status === 401 ? 'unauthorized' : 'forbidden'
    return { slug, message: error.message, fix: LOGIN_FIX, exitCode: EXIT.notAuthorized }
  }
  const code = findCode(error)
  if (code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL') return describeAddress(code, error.message)
  return { slug: 'connection-lost', message: error.message, fix: undefined, exitCode: EXIT.noConnection }
}

function describeAddress(code: 'EADDRINUSE' | 'EADDRNOTAVAIL', message: string): Described {
  const known =
    code === 'EADDRINUSE' ? { slug: 'port-in-use', fix: PORT_FIX } : { slug: 'address-not-available', fix: HOST_FIX }
  return { ...known, message, exitCode: EXIT.noConnection }
}

function describeMCPError(error: MCPError): Described {
  if (error.local && error.code === ErrorCode.RequestTimeout) {
    return { slug: 'timeout', message: error.message, fix: 'Use --timeout to wait longer.', exitCode: EXIT.timedOut }
  }
  if (error.local && error.code === ErrorCode.ConnectionClosed) {
    return { slug: 'connection-lost', message: error.message, fix: undefined, exitCode: EXIT.noConnection }
  }
  const message = `${error.message} (error ${error.code})`
  return { slug: 'server-error', message, fix: undefined, exitCode: EXIT.refused }
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  return `The program threw a value that is not an Error: ${inspect(thrown)}`
}

const MAX_CAUSES = 10

function findCause(error: Error, fits: (cause: unknown) => boolean): boolean {
  let cause: unknown = error
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (fits(cause)) return true
    cause = cause.cause
  }
  return false
}

function findCode(error: Error): string | undefined {
  let found: string | undefined
  findCause(error, (cause) => {
    found = codeOf(cause)
    return found !== undefined
  })
  return found
}

function codeOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** Without the lines of Node's own loader, which do not help to find the cause; with the causes. */
function stackOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  return inspect(thrown)
    .split('\n')
    .filter((line) => !/^\s+at .*\(?node:internal\//.test(line))
    .join('\n')
}
