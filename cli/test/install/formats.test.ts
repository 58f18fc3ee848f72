// Config files in TOML and YAML: our block is added and removed, and everything else stays as it was, comments included.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntryChange, FormatName, Members } from '../../install/formats/config-format.ts'
import { loadFormat } from '../../install/formats/load-format.ts'
import { failureOf } from './config-support.ts'

const SECRET = 'tops3cret'
const entry = {
  command: 'C:\\Program Files\\nodejs\\node.exe',
  args: ['C:\\my server\\a.js', '-v'],
  env: { KEY: SECRET },
}

function toChange(serversKey: string, name: string, next: Members | undefined): EntryChange {
  return { serversKey, name, next, edits: [{ path: [serversKey, name], value: next }] }
}

async function open(format: FormatName, text: string) {
  return (await loadFormat(format)).parse('/x/config', text)
}

const CODEX = `# my settings
model = "o4"   # which one
notify = ["a",
  "b"] # two

[mcp_servers.other]  # theirs
command = "other"

[mcp_servers.other.env]
TOKEN = "${SECRET}"

# about the history
[history]
persistence = "none"
`

const GOOSE = `# my settings
GOOSE_MODEL: o4   # which one
extensions:   # all of them
  # theirs
  developer:
    enabled: true
    type: builtin
    envs:
      TOKEN: ${SECRET}

# about the rest
keyring: false
`

describe.each([
  ['toml', CODEX, 'mcp_servers', '[mcp_servers'],
  ['yaml', GOOSE, 'extensions', '  weather:'],
] as const)('%s', (format, text, key, header) => {
  it('cli C9: an entry is added, comments and everything else are kept, and it goes without a trace', async () => {
    const before = await open(format, text)
    const added = before.change(toChange(key, 'weather', entry))
    expect(added.serversUnder(key)?.['weather']).toEqual(entry)
    const lines = added.text.split('\n')
    expect(text.split('\n').every((line) => lines.includes(line))).toBe(true)
    expect(added.text).toContain(header)
    expect(added.change(toChange(key, 'weather', undefined)).text.trimEnd()).toBe(text.trimEnd())
  })

  it('an entry in the middle is replaced where it stands, and removed without its neighbours', async () => {
    const two = (await open(format, text)).change(toChange(key, 'a b.c', entry)).change(toChange(key, 'last', entry))
    const next = { ...entry, args: [] }
    const replaced = two.change(toChange(key, 'a b.c', next))
    expect(Object.keys(replaced.serversUnder(key) ?? {})).toEqual(Object.keys(two.serversUnder(key) ?? {}))
    expect(replaced.serversUnder(key)?.['a b.c']).toEqual(next)
    const removed = replaced.change(toChange(key, 'a b.c', undefined))
    expect(removed.serversUnder(key)).not.toHaveProperty('a b.c')
    expect(removed.serversUnder(key)?.['last']).toEqual(entry)
    expect(removed.text).toContain('# about the')
  })

  it.each(['', '# nothing but this\n'])('a file with no entry gets the first one: %j', async (empty) => {
    const added = (await open(format, empty)).change(toChange(key, 'weather', entry))
    expect(added.value).toEqual({ [key]: { weather: entry } })
    expect(added.text.startsWith(empty)).toBe(true)
    expect(added.change(toChange(key, 'weather', undefined)).serversUnder(key) ?? {}).toEqual({})
  })

  it('CRLF stays CRLF', async () => {
    const added = (await open(format, text.replaceAll('\n', '\r\n'))).change(toChange(key, 'weather', entry))
    expect(added.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('the diff shows the added and removed lines without secrets', async () => {
    const before = await open(format, text)
    const added = before.describe(toChange(key, 'weather', entry))
    expect(added.join('\n')).toMatch(/^@@ line 1 @@\n\+[\s\S]*node\.exe[\s\S]*KEY/)
    const removed = before.change(toChange(key, 'weather', entry)).describe(toChange(key, 'weather', undefined))
    expect(removed.join('\n')).toMatch(/^@@ line 1 @@\n-[\s\S]*node\.exe/)
    expect([...added, ...removed].join('\n')).not.toContain(SECRET)
  })

  it('any entry comes back as it was, whatever is in its words', async () => {
    const before = await open(format, text)
    const word = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !/[\p{Cs}\p{Cc}]/u.test(each))
    const name = word.filter((each) => each.trim() !== '' && each !== '__proto__')
    const entries = fc.record({
      command: word,
      args: fc.array(word, { maxLength: 4 }),
      env: fc.dictionary(name, word, { maxKeys: 3 }),
    })
    fc.assert(
      fc.property(name, entries, (serverName, server) => {
        fc.pre(!['other', 'developer'].includes(serverName))
        const added = before.change(toChange(key, serverName, server))
        expect(added.serversUnder(key)?.[serverName]).toEqual(server)
        expect(added.change(toChange(key, serverName, undefined)).value).toEqual(before.value)
      }),
      { numRuns: 200 },
    )
  })
})

describe('files that cannot be edited', () => {
  it.each([
    ['toml', 'a = "1"\nb = \n', 'mcp_servers', /line 2, column \d+: it is not TOML/],
    ['toml', 'mcp_servers = 5\n', 'mcp_servers', /'mcp_servers' is not a table/],
    ['yaml', 'a: 1\nb: [\n', 'extensions', /it is not YAML/],
    ['yaml', 'extensions: 5\n', 'extensions', /'extensions' is not a mapping/],
    ['yaml', '- a\n', 'extensions', /the top level is not a mapping/],
  ] as const)('%s %j: says where', async (format, text, key, words) => {
    const failure = await failureOf(async () => (await open(format, text)).serversUnder(key))
    expect(failure.message).toMatch(words)
  })

  it.each([
    ['toml', 'mcp_servers = { other = { command = "x" } }\n', 'mcp_servers'],
    ['toml', '[[mcp_servers.weather.list]]\na = """\n[mcp_servers.x]\n"""\n', 'mcp_servers'],
    ['yaml', 'extensions: { other: { cmd: x } }\n', 'extensions'],
    ['yaml', '{ "extensions": { "other": {} } }\n', 'extensions'],
  ] as const)('%s %j: another layout is changed rightly or not at all', async (format, text, key) => {
    const before = await open(format, text)
    const change = toChange(key, 'weather', entry)
    try {
      expect(before.change(change).serversUnder(key)?.['weather']).toEqual(entry)
    } catch (error) {
      expect((error as Error).message).toContain('cannot be edited safely. Nothing was changed.')
    }
  })
})
