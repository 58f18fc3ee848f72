// Which failure this is: its slug, its message and the exit code. What to do about it is in the catalogue.
import { inspect } from 'node:util'
import { ConnectError, MCPError, OAuthError, TransportError } from 'mcpwire'
import { ErrorCode } from 'mcpwire/types'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { inOwnWords } from './own-words.ts'

export interface Classified {
  readonly slug: string
  readonly message: string
  /** What to do about it, where the command knows more than the catalogue. */
  readonly fix: string | undefined
  readonly exitCode: number
}

export function classify(thrown: unknown): Classified {
  if (thrown instanceof Failure) {
    const { slug, message, hint, exitCode } = thrown
    return { slug, message, fix: hint, exitCode }
  }
  // A login stops where a command does not allow it.
  if (thrown instanceof OAuthError && thrown.cause instanceof Failure) return classify(thrown.cause)
  const slug = slugOf(thrown)
  const { message, exitCode } = describe(thrown, slug)
  return {
    slug,
    message: inOwnWords(message),
    fix: slug === 'server-error' ? fixOf(thrown as MCPError) : undefined,
    exitCode,
  }
}

/** The arguments are to blame where the server says so. */
function fixOf({ code, data }: MCPError): string {
  const reason = isPlainObject(data) ? String(data['reason']) : ''
  return REASONS.get(reason) ?? byCode(code)
}

/** What `mcpwire dev` says about calls that no version of a server has finished. */
const REASONS = new Map([
  ['reloaded', 'Run the command again.'],
  ['exited', 'Run the command again. The terminal of mcpwire dev shows why it ended.'],
  ['not-loaded', 'Correct the file that the terminal of mcpwire dev names.'],
])

function byCode(code: number): string {
  return code === ErrorCode.InvalidParams ? 'Check the arguments.' : 'Read the logs of the server.'
}

/** Errors of the package name their page. */
function slugOf(thrown: unknown): string {
  if (thrown instanceof ConnectError && isTimeout(thrown)) return 'server-silent'
  const help = (thrown as { help?: unknown } | null | undefined)?.help
  const [, slug] = typeof help === 'string' ? (/([\w-]+)\.md$/.exec(help) ?? []) : []
  if (slug !== undefined) return slug
  if (thrown instanceof MCPError) return 'server-error'
  const code = codeOf(thrown)
  return (code === undefined ? undefined : SYSTEM_CODES.get(code)) ?? 'bug'
}

/** Of errors that do not come from the package. */
const SYSTEM_CODES = new Map([
  ['EADDRINUSE', 'port-in-use'],
  ['EADDRNOTAVAIL', 'address-not-available'],
])

/** The exit codes of slugs whose class does not say it. */
const EXIT_CODES = new Map<string, number>([
  ['server-silent', EXIT.timedOut],
  ['timeout', EXIT.timedOut],
  ['task-pending', EXIT.timedOut],
  ['unauthorized', EXIT.notAuthorized],
  ['forbidden', EXIT.notAuthorized],
  ['login-failed', EXIT.notAuthorized],
  ['port-in-use', EXIT.noConnection],
  ['address-not-available', EXIT.noConnection],
  ['backend-failed', EXIT.noConnection],
  ['subscription-lost', EXIT.noConnection],
  ['bug', EXIT.bug],
])

function describe(thrown: unknown, slug: string): { message: string; exitCode: number } {
  const exitCode = EXIT_CODES.get(slug)
  const message = messageOf(thrown)
  if (thrown instanceof TransportError || thrown instanceof OAuthError) {
    return { message, exitCode: exitCode ?? EXIT.noConnection }
  }
  if (!(thrown instanceof MCPError)) return { message, exitCode: exitCode ?? EXIT.refused }
  if (thrown.local) return { message, exitCode: exitCode ?? EXIT.noConnection }
  return { message: `${message} (error ${thrown.code})`, exitCode: exitCode ?? EXIT.refused }
}

function isTimeout(error: ConnectError): boolean {
  if (error.phase === 'authorize') return false
  let cause: unknown = error
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (cause instanceof MCPError && cause.local && cause.code === ErrorCode.RequestTimeout) return true
    cause = cause.cause
  }
  // The words of a command, and the lines of its stderr below the first one, are no sign of anything.
  const [first = ''] = error.message.replace(error.target, '').split('\n')
  return /\bwithin \d|timed? ?out/i.test(first)
}

const MAX_CAUSES = 10

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  return `The program threw a value that is not an Error: ${inspect(thrown)}`
}

function codeOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
