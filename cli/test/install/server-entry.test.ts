// A server as files and options describe it: what is taken, what is refused, and that no value is ever repeated.
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../test/unit/node/files/temporary-folder.ts'
import { parseEnvOptions, parseHeaderOptions } from '../../install/entry-options.ts'
import { readEnvFile } from '../../install/env-file.ts'
import { checkServerEntry } from '../../install/server-entry.ts'
import { failureOf } from './config-support.ts'

const PLACE = { file: '/etc/mcp.json', server: 'weather' }
const SECRET = 'tops3cret'
const VARIABLE = `\${input:key}`

describe('checkServerEntry', () => {
  it('takes a command with all of its parts, and with none', () => {
    const full = { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '1' }, cwd: '/srv' }
    expect(checkServerEntry(full, PLACE)).toEqual({
      entry: { command: 'npx', args: ['-y', 'x'], env: { A: '1' }, cwd: '/srv' },
      warnings: [],
    })
    expect(checkServerEntry({ command: 'x' }, PLACE).entry).toEqual({ command: 'x', args: [], env: {} })
  })

  it.each([
    [undefined, undefined],
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['streamableHttp', 'http'],
    ['sse', 'sse'],
  ])('takes a URL of type %s', (type, expected) => {
    const value = { url: 'https://x.test/mcp', headers: { A: 'b' }, ...(type !== undefined && { type }) }
    expect(checkServerEntry(value, PLACE).entry).toEqual({
      url: 'https://x.test/mcp',
      headers: { A: 'b' },
      ...(expected !== undefined && { type: expected }),
    })
  })

  it('F205 warns of each key that it does not know', () => {
    const { warnings } = checkServerEntry({ command: 'x', disabled: true, 'a\u001b[2J\nb': 1, url2: SECRET }, PLACE)
    expect(warnings).toEqual([
      "/etc/mcp.json: 'disabled' of the server 'weather' is unknown and is ignored.",
      "/etc/mcp.json: 'a\\x1b[2J b' of the server 'weather' is unknown and is ignored.",
      "/etc/mcp.json: 'url2' of the server 'weather' is unknown and is ignored.",
    ])
  })

  it('warns of variables that only the host replaces', () => {
    const { entry, warnings } = checkServerEntry({ command: 'x', env: { A: VARIABLE } }, PLACE)
    expect(entry).toEqual({ command: 'x', args: [], env: { A: VARIABLE } })
    expect(warnings).toEqual([expect.stringMatching(/uses \$\{…\}, which only its host replaces/)])
  })

  it.each<[string, unknown]>([
    ["the server 'weather' must be an object", null],
    ["the server 'weather' must be an object", [SECRET]],
    ["the server 'weather' must have 'command' or 'url', and has neither", {}],
    ["the server 'weather' must have 'command' or 'url', and has both", { command: 'x', url: 'http://x' }],
    ["'command' of the server 'weather' must be a string", { command: [SECRET] }],
    ["'command' of the server 'weather' must be a string", { command: '' }],
    ["'args' of the server 'weather' must be an array of strings", { command: 'x', args: SECRET }],
    ["'args' of the server 'weather' must be an array of strings", { command: 'x', args: [1] }],
    ["'env' of the server 'weather' must be an object", { command: 'x', env: [SECRET] }],
    ["'env.PORT' of the server 'weather' must be a string", { command: 'x', env: { A: SECRET, PORT: 80 } }],
    ["'cwd' of the server 'weather' must be a string", { command: 'x', cwd: 1 }],
    ["'type' of the server 'weather' must be 'stdio'", { command: 'x', type: 'http' }],
    ["'url' of the server 'weather' must be a URL", { url: `file:///${SECRET}` }],
    ["'url' of the server 'weather' must be a URL", { url: SECRET }],
    ["'url' of the server 'weather' must be a URL", { url: 1 }],
    ["'type' of the server 'weather' must be 'http' or 'sse'", { url: 'http://x', type: 'ws' }],
    ["'headers' of the server 'weather' must be an object", { url: 'http://x', headers: SECRET }],
    ["'headers.A' of the server 'weather' must be a string", { url: 'http://x', headers: { A: [SECRET] } }],
  ])('F205 %s', async (words, value) => {
    const failure = await failureOf(() => checkServerEntry(value, PLACE))
    expect(failure.message).toContain(`/etc/mcp.json: ${words}`)
    expect(failure.words).not.toContain(SECRET)
  })

  it('keys of prototypes are data', () => {
    const env = JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, string>
    const { entry } = checkServerEntry({ command: 'x', env }, PLACE)
    expect(JSON.stringify(entry)).toContain('{"__proto__":"a","constructor":"b"}')
    expect(checkServerEntry({ command: 'x' }, PLACE).entry).not.toHaveProperty('env.a')
  })
})

describe('options', () => {
  it('--env takes everything after the first equals sign', () => {
    expect(parseEnvOptions(['A=b=c', 'EMPTY=', 'A=last', 'X= y '])).toEqual({ A: 'last', EMPTY: '', X: ' y ' })
    expect(Object.entries(parseEnvOptions(['__proto__=x']))).toEqual([['__proto__', 'x']])
  })

  it.each([SECRET, `=${SECRET}`, `A B=${SECRET}`, `A=${SECRET}\0`, ''])(
    'F205 refuses an --env without repeating it (%#)',
    async (text) => {
      const failure = await failureOf(() => parseEnvOptions([text]))
      expect(failure).toMatchObject({ exitCode: 2, message: expect.stringMatching(/KEY=VALUE/) })
      expect(failure.words).not.toContain(SECRET)
    },
  )

  it('--header takes a name and a value', () => {
    expect(parseHeaderOptions(['Authorization: Bearer a:b', 'X-Empty:'])).toEqual({
      Authorization: 'Bearer a:b',
      'X-Empty': '',
    })
  })

  it.each([SECRET, `: ${SECRET}`, `A b: ${SECRET}`, `A: ${SECRET}\r\nB: c`, `A: ${SECRET}\u20ac`])(
    'F205 refuses a --header without repeating it (%#)',
    async (text) => {
      const failure = await failureOf(() => parseHeaderOptions([text]))
      expect(failure).toMatchObject({ exitCode: 2, message: expect.stringMatching(/Name: value/) })
      expect(failure.words).not.toContain(SECRET)
    },
  )

  it('refuses a header that is given twice, in any case', async () => {
    const failure = await failureOf(() => parseHeaderOptions([`a: ${SECRET}`, `A: ${SECRET}`]))
    expect(failure.words).toMatch(/A is given twice/)
    expect(failure.words).not.toContain(SECRET)
  })

  it('--env-file reads what dotenv files hold', async () => {
    await using folder = await createFolder()
    const path = await folder.write('.env', `\ufeffA=1\n# no\nexport B="two words" # note\nC='x\ny'\r\nD=\n`)
    expect(await readEnvFile(path)).toEqual({ A: '1', B: 'two words', C: 'x\ny', D: '' })
  })

  it('F205 --env-file refuses what is not there, no file, or no text', async () => {
    await using folder = await createFolder()
    await folder.write('binary', new Uint8Array([0xff, 0xfe]))
    const words = async (name: string) => (await failureOf(() => readEnvFile(`${folder.path}/${name}`))).message
    expect(await words('none')).toMatch(/none of --env-file does not exist/)
    expect(await words('.')).toMatch(/is a directory/)
    expect(await words('binary')).toMatch(/line 1, column 1: it is not text/)
  })
})
