// Errors of Redis and of its clients, as errors of the backend. None of them shows a key, a value or a password.
import { BackendError, type BackendErrorOptions } from '../../backend/backend-error.ts'

type Kind = Pick<BackendErrorOptions, 'kind' | 'outcome'> & { readonly advice: string }

/** By the first word of what Redis replies. Redis has done nothing where it replies with an error. */
const REPLIES: Readonly<Record<string, Kind>> = {
  OOM: { kind: 'refused', advice: 'Redis has no memory left (maxmemory).' },
  MISCONF: { kind: 'refused', advice: 'Redis cannot write to its disk and takes no writes.' },
  NOAUTH: { kind: 'refused', advice: 'Redis wants a password. Put it into the URL or the client.' },
  WRONGPASS: { kind: 'refused', advice: 'Redis rejects the user name or the password.' },
  NOPERM: {
    kind: 'refused',
    advice: 'The user of Redis may not run this command or use these keys. docs/redis.md has the rights.',
  },
  WRONGTYPE: { kind: 'corrupt', advice: 'Something else is stored under a key of this namespace.' },
  READONLY: { kind: 'unavailable', advice: 'This Redis is a replica and takes no writes.' },
  LOADING: { kind: 'unavailable', advice: 'Redis loads its data.' },
  MASTERDOWN: { kind: 'unavailable', advice: 'The primary of this Redis is down.' },
  CLUSTERDOWN: { kind: 'unavailable', advice: 'The cluster is down.' },
  TRYAGAIN: { kind: 'unavailable', advice: 'The slot of this key moves to another node.' },
  NOREPLICAS: { kind: 'unavailable', advice: 'Redis has too few replicas and takes no writes.' },
  BUSY: { kind: 'unavailable', advice: 'Redis runs a script that does not end.' },
}

const CODE = /^([A-Z]+)(?: |$)/

/** The first word of an error that Redis replied with. */
export function replyCode(error: unknown): string | undefined {
  return error instanceof Error ? CODE.exec(error.message)?.[1] : undefined
}

export function toBackendError(operation: string, error: unknown): BackendError {
  if (error instanceof BackendError) return error
  const code = replyCode(error)
  // Errors of clients carry the command with its arguments, so only the text goes along.
  const cause = new Error(
    error instanceof Error ? error.message : 'The client of Redis threw a value that is not an Error.',
  )
  if (code === undefined) {
    const outcome = isUnsent(cause.message) ? 'not-done' : 'unknown'
    const message = `${operation} failed, because the connection to Redis is broken (${cause.message}).`
    return new BackendError(message, { kind: 'unavailable', operation, outcome, cause })
  }
  const { kind, advice } = REPLIES[code] ?? { kind: 'refused', advice: `Redis replied with ${code}.` }
  return new BackendError(`${operation} failed. ${advice}`, { kind, operation, cause })
}

function isUnsent(message: string): boolean {
  return /enableOfflineQueue|client is (?:closed|offline)/i.test(message)
}
