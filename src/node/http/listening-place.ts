// Where a server is to listen, as authors say it. Node takes a port that is no number for the name of a socket file.

const MAX_PORT = 65_535
const MAX_SHOWN_LENGTH = 60

/** The port as a number. Throws `RangeError` for what is none. */
export function readPort(given: unknown): number {
  const port = typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : given
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= MAX_PORT) return port
  throw new RangeError(`port must be a whole number from 0 to ${MAX_PORT}, not ${show(given)}`)
}

/** The host itself. Throws `RangeError` for what is no name and no address. */
export function readHost(given: unknown): string {
  if (typeof given === 'string' && given.trim() !== '') return given
  throw new RangeError(`host must be a name or an address, as in '127.0.0.1', not ${show(given)}`)
}

function show(given: unknown): string {
  if (typeof given === 'string') return JSON.stringify(given.slice(0, MAX_SHOWN_LENGTH))
  if (typeof given === 'number' || given === null) return String(given)
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`
}
