// What SQLite says when it fails, as the one error of backends.
import { BackendError, type BackendFailure } from '../../backend/backend-error.ts'

interface Failure {
  readonly kind: BackendFailure
  readonly text: string
  readonly outcome?: 'unknown'
}

const BUSY = 5
const LOCKED = 6
const CORRUPT = 11
/** An I/O error by its primary code, but it says that the file ends too early. */
const SHORT_READ = 522
/** By primary result code: https://www.sqlite.org/rescode.html */
const FAILURES: Readonly<Record<number, Failure>> = {
  3: { kind: 'refused', text: 'The process may not read or write the SQLite file. Check its owner and mode.' },
  8: { kind: 'refused', text: 'The SQLite file is read-only. Check its owner and mode.' },
  // A commit that could not be written may be there after all once the disk is well again.
  10: { kind: 'unavailable', text: 'The disk failed under the SQLite file.', outcome: 'unknown' },
  [CORRUPT]: { kind: 'corrupt', text: 'The SQLite file is damaged. Restore it, or remove it to begin anew.' },
  13: { kind: 'refused', text: 'The disk is full, or the SQLite file has reached its limit. Free some space.' },
  14: {
    kind: 'unavailable',
    text: 'The SQLite file cannot be opened. Check that its folder exists and can be written to.',
  },
  18: { kind: 'too-large', text: 'The value is larger than SQLite allows.' },
  26: { kind: 'corrupt', text: 'The file is not an SQLite database. Use another path.' },
}

/** The names that better-sqlite3 has instead of numbers. */
const CODES: Readonly<Record<string, number>> = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: BUSY,
  SQLITE_LOCKED: LOCKED,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_TOOBIG: 18,
  SQLITE_NOTADB: 26,
}

/** Somebody else holds the lock: to be tried again. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error)
  return code === BUSY || code === LOCKED
}

export function toBackendError(operation: string, error: unknown): BackendError {
  if (error instanceof BackendError) return error
  const { kind, text, outcome = 'not-done' } = FAILURES[codeOf(error) ?? -1] ?? unknownFailure(error)
  return new BackendError(`${operation} failed. ${text}`, { kind, operation, outcome, cause: error })
}

export function tooSlow(operation: string, timeoutMs: number, cause?: unknown): BackendError {
  const message = `${operation} took longer than ${timeoutMs} ms, because another process has locked the SQLite file.`
  return new BackendError(message, { kind: 'timeout', operation, cause })
}

function unknownFailure(error: unknown): Failure {
  return { kind: 'unavailable', text: `SQLite says: ${error instanceof Error ? error.message : String(error)}.` }
}

/** The primary result code: the lowest byte of the extended one, which each library has under a name of its own. */
function codeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { errcode, rawCode, code, message } = error as Record<string, unknown>
  const number = errcode ?? rawCode
  if (number === SHORT_READ || code === 'SQLITE_IOERR_SHORT_READ') return CORRUPT
  if (typeof number === 'number') return number & 0xff
  if (typeof code === 'string' && code.startsWith('SQLITE_')) return CODES[code.split('_').slice(0, 2).join('_')]
  // libsql has the number in its text alone where it cannot open the file.
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/.exec(String(message))?.[1]
  return opening === undefined ? undefined : Number(opening) & 0xff
}
