// Which failure this is: its slug, its message and the exit code. What to do about it is in the catalogue.
import { inspect } from 'node:util'
import { ConnectError, MCPError, OAuthError, TransportError } from 'mcpwire'
import { ErrorCode } from 'mcpwire/types'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { explainInstaller } from './installer-failure.ts'
import { installAdvice } from './missing-package.ts'
import { inOwnWords } from './own-words.ts'
import { adviseOnVersion } from './version-advice.ts'

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
  const installer = slug === 'server-exited' && thrown instanceof ConnectError ? explainInstaller(thrown) : undefined
  if (installer !== undefined) return { slug, ...installer, exitCode }
  return { slug, message: inOwnWords(message), fix: adviceOn(thrown, slug), exitCode }
}

/** Where the failure itself says more than its page. */
function adviceOn(thrown: unknown, slug: string): string | undefined {
  if (slug === 'server-error') return fixOf(thrown as MCPError)
  if (slug === 'version-unsupported') return adviseOnVersion(thrown)
  if (slug === 'not-an-mcp-server' && thrown instanceof ConnectError && /\/mcp\/?$/.test(thrown.target)) {
    return 'Check the URL, and that the server is the program that listens there.'
  }
  const install = thrown instanceof Error && !(thrown instanceof ConnectError) ? installAdvice(thrown) : undefined
  if (install !== undefined) return install
  return isOAuth(thrown, ['access_denied']) ? DENIED : isOAuth(thrown, NO_LOGIN) ? USE_TOKEN : undefined
}

const DENIED =
  'Run the command again, and allow the request on the login page. If the page refused you, ask who runs the server.'

/** The server has no login that the command could use. */
const NO_LOGIN = ['no_authorization_server', 'untrusted_metadata_url']
const USE_TOKEN = 'Use --token with a token of the server. Ask who runs it for one.'

function isOAuth(thrown: unknown, codes: readonly string[]): boolean {
  for (let at = thrown, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth += 1) {
    if (at instanceof OAuthError) return codes.includes(at.code)
  }
  return false
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
  if (missingScopes(thrown) !== undefined) return 'scopes-missing'
  const help = (thrown as { help?: unknown } | null | undefined)?.help
  const [, slug] = typeof help === 'string' ? (/([\w-]+)\.md$/.exec(help) ?? []) : []
  // What it printed says more than that it did not answer.
  if (slug !== 'stdout-polluted' && isTimeout(thrown)) return 'server-silent'
  if (slug !== undefined) return slug
  if (thrown instanceof MCPError) return 'server-error'
  const code = codeOf(thrown)
  // A file has it too, and is not listened on.
  if (code === 'EACCES' && (thrown as NodeJS.ErrnoException).syscall === 'listen') return 'address-not-available'
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
  ['scopes-missing', EXIT.notAuthorized],
  ['login-failed', EXIT.notAuthorized],
  ['port-in-use', EXIT.noConnection],
  ['address-not-available', EXIT.noConnection],
  ['backend-failed', EXIT.noConnection],
  ['subscription-lost', EXIT.noConnection],
  ['bug', EXIT.bug],
])

function describe(thrown: unknown, slug: string): { message: string; exitCode: number } {
  const exitCode = isTimeout(thrown) ? EXIT.timedOut : EXIT_CODES.get(slug)
  const message = messageOf(thrown)
  if (thrown instanceof TransportError || thrown instanceof OAuthError) {
    return { message, exitCode: exitCode ?? EXIT.noConnection }
  }
  if (!(thrown instanceof MCPError)) return { message, exitCode: exitCode ?? EXIT.refused }
  const scopes = missingScopes(thrown)
  if (scopes !== undefined) return { message: `${SCOPES_MISSING}: ${scopes.join(', ')}.`, exitCode: EXIT.notAuthorized }
  if (thrown.local) return { message, exitCode: exitCode ?? EXIT.noConnection }
  return { message: `${message} (error ${thrown.code})`, exitCode: exitCode ?? EXIT.refused }
}

/** Whether a connection was not open in time. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.phase === 'authorize') return false
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

const SCOPES_MISSING = 'The caller does not have the required scopes'

/** The scopes that a server asks for; `undefined` for other failures. */
export function missingScopes(thrown: unknown): readonly string[] | undefined {
  if (!(thrown instanceof MCPError) || thrown.local || !isPlainObject(thrown.data)) return undefined
  const { reason, requiredScopes: scopes } = thrown.data
  if (reason !== 'insufficient_scope' || !Array.isArray(scopes) || scopes.length === 0) return undefined
  return scopes.every((scope) => typeof scope === 'string') ? scopes : undefined
}
