// Errors of NATS and of its client, as errors of the backend. None of them shows a key, a value or a password.
import { BackendError, type BackendErrorOptions } from '../../backend/backend-error.ts'

/** The connection broke while something was under way. Whatever was sent can be sent again. */
export class ConnectionBroken extends Error {}

/** What JetStream replied with. It has done nothing then. */
export class JetStreamError extends Error {
  readonly code: number

  constructor(code: number, description: string) {
    super(description)
    this.code = code
  }
}

/** Codes of JetStream. */
export const Code = {
  NoMessage: 10_037,
  NoSequence: 10_043,
  NotDeleted: 10_057,
  WrongLastSequence: 10_071,
  NoStream: 10_059,
  /** The name is taken by a stream with other settings. */
  NameInUse: 10_058,
  NotEnabled: 10_076,
  NotEnabledForAccount: 10_039,
} as const

type Kind = Pick<BackendErrorOptions, 'kind'> & { readonly advice: string }

const FULL = 'JetStream has no space left for this account (max_file_store, max_bytes).'

const REPLIES: Readonly<Record<number, Kind>> = {
  10002: { kind: 'refused', advice: FULL },
  10023: { kind: 'refused', advice: FULL },
  10028: { kind: 'refused', advice: FULL },
  10047: { kind: 'refused', advice: FULL },
  10077: { kind: 'refused', advice: FULL },
  10122: { kind: 'refused', advice: FULL },
  10008: { kind: 'unavailable', advice: 'JetStream is not ready: its cluster has no leader.' },
  10009: { kind: 'unavailable', advice: 'The stream is not ready: its cluster has no leader.' },
  10005: { kind: 'refused', advice: 'The cluster has too few servers for this number of replicas.' },
  10074: { kind: 'refused', advice: 'replicas above 1 need a cluster of NATS.' },
  [Code.NotEnabled]: { kind: 'refused', advice: 'JetStream is off. Start nats-server with -js.' },
  [Code.NotEnabledForAccount]: {
    kind: 'refused',
    advice: 'JetStream is off for this account. Enable it in nats.conf.',
  },
}

export function toBackendError(
  operation: string,
  error: unknown,
  outcome: 'not-done' | 'unknown',
  where = '',
): BackendError {
  if (error instanceof BackendError) return error
  if (error instanceof JetStreamError) {
    const said = `JetStream replied: ${error.message} (${error.code}).`
    const { kind, advice } = REPLIES[error.code] ?? { kind: 'refused' as const, advice: said }
    return new BackendError(`${operation} failed. ${advice}`, { kind, operation, cause: error })
  }
  const { name, message } = error instanceof Error ? error : { name: '', message: 'a value that is not an Error' }
  // The errors of the library carry subjects, so only the text goes along.
  const cause = new Error(message)
  switch (name) {
    case 'AuthorizationError':
      return refused(operation, `NATS${where} rejects the user, the password or the token.`, cause)
    case 'UserAuthenticationExpiredError':
      return refused(operation, `The credentials for NATS${where} have expired.`, cause)
    case 'PermissionViolationError': {
      const text = 'The user of NATS may not use a subject of this namespace. docs/nats.md has the permissions.'
      return refused(operation, text, cause)
    }
    case 'NoResponders':
      return refused(operation, 'JetStream is off, or not for this account. Start nats-server with -js.', cause)
  }
  const text = `${operation} failed, because NATS${where} is out of reach${message === '' ? '' : ` (${message})`}.`
  return new BackendError(text, { kind: 'unavailable', operation, outcome, cause })
}

function refused(operation: string, text: string, cause: Error): BackendError {
  return new BackendError(`${operation} failed. ${text}`, { kind: 'refused', operation, cause })
}

/** The stream is not there: nobody takes what is published, or asks for it. It has to be made again. */
export function isStreamMissing(error: unknown): boolean {
  if (error instanceof JetStreamError) return error.code === Code.NoStream
  return error instanceof Error && error.name === 'NoResponders'
}

export function closed(operation: string): BackendError {
  const message = `${operation} was called on a backend that is closed. Open it again first.`
  return new BackendError(message, { kind: 'unavailable', operation })
}

export function tooLate(operation: string, timeoutMs: number, outcome: 'not-done' | 'unknown'): BackendError {
  const message = `${operation} took longer than ${timeoutMs} ms. NATS is overloaded or out of reach.`
  return new BackendError(message, { kind: 'timeout', operation, outcome })
}

/** A request wraps what happened. */
export function innerError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { cause } = error
  if (error.name === 'RequestError' && cause instanceof Error) return cause
  if (error.name === 'RequestError' || error.name === 'ClosedConnectionError')
    return new ConnectionBroken(error.message)
  return error
}
