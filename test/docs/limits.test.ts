// The tables of docs/concepts/limits.md: every row says what the code has.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const HANDLER = 'src/server/http/handler-options.ts'
const LEGACY = 'src/server/http/legacy/legacy-options.ts'
const option = (name: string) => new RegExp(`limit\\(options, '${name}', ([^)]+)\\)`)

type Place = readonly [file: string, pattern: RegExp]

/** For each row the places of its figures in the code, in the order of the row. */
const PLACES: Record<string, readonly Place[]> = {
  'message to a server over HTTP': [[HANDLER, option('maxBodyBytes')]],
  'message to a server over stdio': [['src/dispatcher/decode.ts', /SERVER_LIMITS[^=]*= .*?maxBytes: ([^,]+),/]],
  'message to a client over HTTP or stdio': [['src/dispatcher/decode.ts', /CLIENT_LIMITS[^=]*= .*?maxBytes: ([^,]+),/]],
  'bodies of all requests that run': [
    [HANDLER, option('maxBytesInFlight')],
    [HANDLER, option('maxBytesInFlightPerPrincipal')],
  ],
  'bytes that wait for a slow reader': [
    ['src/server/http/streams/bounded-sink.ts', /maxQueuedBytes = ([^,}]+)/],
    ['src/server/http/streams/bounded-sink.ts', /maxTotalQueuedBytes = ([^,}]+)/],
  ],
  'requests that run over HTTP': [
    [HANDLER, option('maxConcurrentRequests')],
    [HANDLER, option('maxConcurrentRequestsPerPrincipal')],
  ],
  'handlers that run over stdio and in process': [
    ['src/dispatcher/inbound-requests.ts', /maxConcurrentRequests \?\? ([\d_]+)/],
  ],
  'sessions of legacy clients': [
    [LEGACY, /'sessions\.max', options\.max \?\? ([\w_]+)/],
    [LEGACY, /'sessions\.maxPerPrincipal', options\.maxPerPrincipal \?\? ([\w_]+)/],
  ],
  'open subscriptions': [
    [HANDLER, option('maxStreams')],
    [HANDLER, option('maxStreamsPerPrincipal')],
  ],
  'calls that wait for a modern caller at a legacy source': [['src/proxy/base/options.ts', /MAX_PARKED = ([\d_]+)/]],
  'rounds of one call': [['src/client/calls/driven-calls.ts', /DEFAULT_MAX_ROUNDS = ([\d_]+)/]],
  'a call of a tool, without a sign of life': [['src/client/session/outbound-rules.ts', /LONG_TIMEOUT_MS = ([\d_]+)/]],
  'any other request': [['src/client/session/outbound-rules.ts', /DEFAULT_TIMEOUT_MS = ([\d_]+)/]],
  connecting: [
    ['src/client/opening/targets.ts', /URL_TIMEOUT_MS = ([\d_]+)/],
    ['src/client/opening/targets.ts', /COMMAND_TIMEOUT_MS = ([\d_]+)/],
  ],
  'a body to arrive': [[HANDLER, option('bodyTimeoutMs')]],
  'an idle session': [[LEGACY, /IDLE_MS = ([^\n]+)/]],
  'running calls when a server ends': [['src/node/http/serve-http.ts', /drainMs = ([\d_]+)/]],
  'a login': [['src/auth/client/login/redirect-receiver.ts', /LOGIN_TIMEOUT_MS = ([^\n]+)/]],
}

/** No limit by default: what sets one is a function of the package. */
const NONE: Record<string, string> = {
  'result of a tool': 'limitResponseSize',
  'calls per second': 'limitRate',
  'a handler': 'limitTime',
}

const UNITS: Record<string, number> = { MiB: 1024 ** 2, s: 1_000, minutes: 60_000, '': 1 }

/** The figures of a cell, in bytes, milliseconds or as numbers. */
const figuresOf = (cell: string) =>
  [...cell.matchAll(/(\d[\d,]*)(?: (MiB|s|minutes)\b)?/g)].map(
    ([, digits = '', unit = '']) => Number(digits.replaceAll(',', '')) * (UNITS[unit] as number),
  )

/** The value of an expression such as `4 * MIB` or `5 * 60_000`. */
function figureOf(expression: string, file: string): number {
  return expression.split('*').reduce((product, part) => {
    const text = part.trim()
    if (text === 'MIB') return product * UNITS['MiB']!
    const number = Number(text.replaceAll('_', ''))
    if (!Number.isNaN(number)) return product * number
    const declared = new RegExp(`const ${text} = ([^\\n]+)`).exec(read(file))?.[1] ?? ''
    expect(declared, `${text} in ${file}`).not.toBe('')
    return product * figureOf(declared, file)
  }, 1)
}

const rows = read('docs/concepts/limits.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:what|---)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | ?\|$/g, '').trim()))

describe('docs/concepts/limits.md', () => {
  it('has the rows that this test knows', () => {
    expect(rows.map(([what]) => what).toSorted()).toEqual([...Object.keys(PLACES), ...Object.keys(NONE)].toSorted())
  })

  it.each(rows.filter(([what = '']) => what in PLACES))('%s: %s', (what = '', limit = '') => {
    const places = PLACES[what] as readonly Place[]
    const found = places.map(([file, pattern]) => {
      const [, expression = ''] = pattern.exec(read(file)) ?? []
      expect(expression, `${String(pattern)} in ${file}`).not.toBe('')
      return figureOf(expression, file)
    })
    expect(figuresOf(limit)).toEqual(found)
  })

  it.each(rows.filter(([what = '']) => what in NONE))('%s: %s', async (what = '', limit = '', how = '') => {
    expect(limit).toBe('none')
    const name = NONE[what] as string
    expect(how).toContain(`${name}()`)
    const { [name]: made } = (await import('mcpwire/server')) as unknown as Record<string, unknown>
    expect(made).toBeTypeOf('function')
  })

  it.each(rows.filter(([, , how = '']) => how.includes('`')))(
    '%s: the options of the row exist',
    (_what, _limit, how = '') => {
      const source = [
        HANDLER,
        LEGACY,
        'src/client/client-options.ts',
        'src/client/session/session-options.ts',
        'src/proxy/base/options.ts',
      ]
        .map(read)
        .join()
      const others = [
        'src/node/stdio/stdio-client.ts',
        'src/client/transports/streamable-http.ts',
        'src/server/http/serve-options.ts',
      ]
      const more = [
        'src/auth/client/login/redirect-receiver.ts',
        'src/client/calls/options.ts',
        'src/mcpserver/tools/tool-options.ts',
      ]
      const all = source + [...others, ...more].map((file) => readOr(file)).join()
      for (const [, code = ''] of how.matchAll(/`([^`]+)`/g)) {
        for (const [name] of code.matchAll(/\b[a-z]+[A-Z]\w*\b(?!\()/g))
          expect(all, name).toMatch(new RegExp(`\\b${name}\\??:`))
      }
    },
  )
})

function readOr(file: string): string {
  try {
    return read(file)
  } catch {
    return ''
  }
}
