// Errors of Postgres and of its clients, as errors of the backend. None of them shows a key, a value or a password.
import { BackendError, type BackendFailure } from '../../backend/backend-error.ts'
import { isSqlState } from './pg-client.ts'

interface Failure {
  readonly kind: BackendFailure
  readonly text: string
  readonly outcome?: 'unknown'
}

const RIGHTS = 'The user of Postgres lacks rights. docs/postgres.md lists what it needs.'
const SHUT_DOWN = 'Postgres is shutting down.'
const FULL = 'The disk of Postgres is full. Free some space.'

/** By the state of SQL. Postgres has rolled back where it replies with an error. */
const STATES: Readonly<Record<string, Failure>> = {
  '28000': { kind: 'refused', text: 'Postgres rejects the user (pg_hba.conf). Check the user, the database and TLS.' },
  '28P01': { kind: 'refused', text: 'Postgres rejects the user name or the password.' },
  '3D000': { kind: 'refused', text: 'The database does not exist. Create it, or change the URL.' },
  '42501': { kind: 'refused', text: RIGHTS },
  '42P01': { kind: 'refused', text: 'A table of mcpwire is missing. Call migrate().' },
  '42883': { kind: 'refused', text: 'A function of mcpwire is missing. Call migrate().' },
  '3F000': { kind: 'refused', text: 'The schema of mcpwire is missing. Call migrate().' },
  '57014': { kind: 'timeout', text: 'Postgres ended the statement, because it took too long.' },
  '55P03': { kind: 'timeout', text: 'A lock was not free in time.' },
  '53100': { kind: 'refused', text: FULL },
  '53200': { kind: 'refused', text: 'Postgres has no memory left.' },
  '53300': {
    kind: 'unavailable',
    text: 'Postgres has no connection left. Raise max_connections, or lower maxConnections.',
  },
  '57P01': { kind: 'unavailable', text: SHUT_DOWN, outcome: 'unknown' },
  '57P02': { kind: 'unavailable', text: SHUT_DOWN, outcome: 'unknown' },
  '57P03': { kind: 'unavailable', text: 'Postgres starts, and takes no connections yet.' },
  '25006': { kind: 'unavailable', text: 'This Postgres is a standby, or takes no writes.' },
  '54000': { kind: 'too-large', text: 'The value is larger than Postgres allows.' },
  XX001: { kind: 'corrupt', text: 'The data of Postgres is damaged.' },
  XX002: { kind: 'corrupt', text: 'An index of Postgres is damaged.' },
}

/** Two transactions were in each other's way; nothing was done. */
const CONFLICTS = ['40001', '40P01']
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|ENOENT|EACCES|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CONNECT_TIMEOUT)$/

/** Worth another try at once: a connection broke, which the next one need not do, or others were in the way. */
export function isWorthRepeating(error: unknown): boolean {
  if (error instanceof BackendError) return false
  const code = codeOf(error)
  if (code === undefined || !isSqlState(code)) return !isNotConnected(error)
  return CONFLICTS.includes(code) || code === '57P01' || code === '57P02'
}

/** `pg` says so where Postgres wants a password and there is none. */
const NO_PASSWORD = /^SASL: .*password must be/

/** The disk is full. */
export function isOutOfSpace(error: unknown): boolean {
  return codeOf(error) === '53100'
}

export function toBackendError(operation: string, error: unknown, where = '', advice = ''): BackendError {
  if (error instanceof BackendError) return error
  const code = codeOf(error)
  const cause = withoutValues(error, code)
  if (code !== undefined && isSqlState(code)) {
    const { kind, text, outcome = 'not-done' } = STATES[code] ?? stateOf(code)
    return new BackendError(`${operation} failed. ${text}`, { kind, operation, outcome, cause })
  }
  if (NO_PASSWORD.test(cause.message)) {
    const text = `${operation} failed. Postgres${where} wants a password. Put it into the URL or the pool.`
    return new BackendError(text, { kind: 'refused', operation, cause })
  }
  const isOut = isNotConnected(error)
  const reason = code ?? cause.message
  const text = isOut ? `Postgres${where} is out of reach` : `the connection to Postgres${where} is broken`
  const what = isOut ? '' : advice
  const outcome = isOut ? 'not-done' : 'unknown'
  return new BackendError(`${operation} failed, because ${text} (${reason}).${what}`, {
    kind: 'unavailable',
    operation,
    outcome,
    cause,
  })
}

function stateOf(code: string): Failure {
  if (CONFLICTS.includes(code)) return { kind: 'unavailable', text: 'Others changed the same rows at the same time.' }
  if (code.startsWith('08'))
    return { kind: 'unavailable', text: 'The connection to Postgres broke.', outcome: 'unknown' }
  return { kind: 'refused', text: `Postgres replied with the state ${code}.` }
}

/** Libraries put statements, parameters and rows into their errors. */
function withoutValues(error: unknown, code: string | undefined): Error & { code?: string } {
  const message = error instanceof Error ? error.message : 'The client of Postgres threw a value that is not an Error.'
  // What is wrong with a value (class 22) or a row (class 23) shows it.
  const isAboutValues = code !== undefined && /^2[23]/.test(code)
  const cause = new Error(isAboutValues ? 'Postgres refuses a value.' : message)
  return code === undefined ? cause : Object.assign(cause, { code })
}

function isNotConnected(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return NOT_CONNECTED.test(code)
  return error instanceof Error && /timeout exceeded when trying to connect|connection timeout/i.test(error.message)
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  if (typeof code === 'string') return code
  // Of a name with several addresses.
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : undefined
}
