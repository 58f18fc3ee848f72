// Why a backend on Redis did not open, and what to check: the host, TLS on one side only, another service on the port.
import { BackendError } from '../../backend/backend-error.ts'
import { replyCode, toBackendError } from './errors.ts'
import type { RedisPlace } from './url.ts'

/** What clients say about bytes that are not of the protocol of Redis. */
const NOT_REDIS = /unknown RESP type|protocol error/i
const BROKEN_TLS = /wrong version number|packet length too long|EPROTO|socket disconnected before secure TLS/i

/** The error of `open`, with the host and without user and password. */
export function explainOpening(error: unknown, place: RedisPlace | undefined): BackendError {
  const isLate = error instanceof BackendError && error.kind === 'timeout'
  if (error instanceof BackendError && !isLate) return error
  const where = place === undefined ? 'Redis' : `Redis at ${place.shown}`
  const { message, kind, cause } = toBackendError('open', error)
  if (replyCode(error) !== undefined) {
    return new BackendError(message.replace('Redis', where), { kind, operation: 'open', cause })
  }
  const said = error instanceof Error ? error.message : ''
  const text = isLate ? `${where} has not answered in time. ${adviceFor(place)}` : describe(said, where, place)
  return new BackendError(`open failed, because ${text}`, { kind: 'unavailable', operation: 'open', cause })
}

function describe(said: string, where: string, place: RedisPlace | undefined): string {
  if (NOT_REDIS.test(said)) {
    return `what answers at ${place?.shown ?? 'this address'} is not Redis. Check the host and the port, and whether the port needs TLS.`
  }
  if (place?.options.tls !== undefined && BROKEN_TLS.test(said)) {
    return `${where} does not speak TLS. Use redis: instead of rediss:, or the port for TLS.`
  }
  return `${where} is out of reach${said === '' ? '' : ` (${said})`}.`
}

function adviceFor(place: RedisPlace | undefined): string {
  if (place?.options.tls !== undefined)
    return 'Check that this port speaks TLS. Without TLS the URL begins with redis:.'
  if (place?.options.port === undefined) return 'It is overloaded or out of reach.'
  return 'Check the host and the port, and whether the port needs TLS (rediss:).'
}
