// The environment and the headers of a server, as options of commands give them.
import { usageFailure } from '../terminal/failure.ts'

/** RFC 9110, 5.6.2: a token. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const ENV_NAME = /^[^\s=\p{Cc}]+$/u

/** `KEY=VALUE`, or the name of a variable that is set here. What was given is never repeated: it may be a secret without its name. */
export function parseEnvOptions(options: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    options.map((option) => {
      const end = option.indexOf('=')
      const name = end === -1 ? option : option.slice(0, end)
      const value = end === -1 ? process.env[option] : option.slice(end + 1)
      if (end === 0 || !ENV_NAME.test(name) || value === undefined || value.includes('\0')) {
        throw usageFailure(
          'A value of --env is not of the form KEY=VALUE, and names no variable that is set.',
          'Example: --env LOG_LEVEL=debug, or --env HOME for a variable of this terminal',
        )
      }
      return [name, value]
    }),
  )
}

/** `Name: value`, several times. */
export function parseHeaderOptions(options: readonly string[]): Record<string, string> {
  const seen = new Set<string>()
  return Object.fromEntries(
    options.map((option) => {
      const end = option.indexOf(':')
      const [name, value] = [option.slice(0, Math.max(end, 0)).trim(), option.slice(end + 1).trim()]
      if (end < 1 || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
        throw usageFailure(`A value of --header is not of the form 'Name: value'.`, `Example: --header 'X-Team: blue'`)
      }
      if (seen.has(name.toLowerCase())) throw usageFailure(`The header ${name} is given twice.`)
      seen.add(name.toLowerCase())
      return [name, value]
    }),
  )
}
