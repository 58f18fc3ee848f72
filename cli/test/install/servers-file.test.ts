// Files that list servers: whose servers are read, and what is told about the files.
import { chmod } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../test/unit/node/files/temporary-folder.ts'
import { readServer, readServers } from '../../install/servers-file.ts'
import { failureOf, POSIX } from './config-support.ts'

async function withFile(contents: unknown) {
  const folder = await createFolder()
  const text = typeof contents === 'string' ? contents : JSON.stringify(contents)
  const path = await folder.write('mcp.json', text)
  await chmod(path, 0o600)
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

describe('readServers', () => {
  it.each(['mcpServers', 'servers'])('reads %s, in order', async (key) => {
    await using file = await withFile(`{ // all
      "${key}": { "b": { "command": "x", "args": ["y"], }, "a": { "url": "https://x.test/" } },
      "inputs": [] }`)
    const { servers, warnings } = await readServers(file.path)
    expect([...servers]).toEqual([
      ['b', { command: 'x', args: ['y'], env: {} }],
      ['a', { url: 'https://x.test/', headers: {} }],
    ])
    expect(warnings).toEqual([])
  })

  it('prefers mcpServers, and has nothing of a file without either', async () => {
    await using both = await withFile({ servers: { a: {} }, mcpServers: { b: { command: 'x' } } })
    expect([...(await readServers(both.path)).servers.keys()]).toEqual(['b'])
    await using neither = await withFile({ other: 1 })
    expect(await readServers(neither.path)).toEqual({
      servers: new Map(),
      disabled: [],
      warnings: [expect.stringMatching(/has neither 'mcpServers' nor 'servers'/)],
    })
  })

  it('F205 keys that are not known are warnings', async () => {
    await using file = await withFile({ mcpServers: { a: { command: 'x', autoApprove: [] } } })
    expect((await readServers(file.path)).warnings).toEqual([
      expect.stringMatching(/'autoApprove' of the server 'a' is unknown/),
    ])
  })

  it('F205 servers named like members of prototypes are data', async () => {
    await using file = await withFile('{"mcpServers":{"__proto__":{"command":"a"},"constructor":{"command":"b"}}}')
    const { servers } = await readServers(file.path)
    expect([...servers].map(([name, entry]) => [name, 'command' in entry && entry.command])).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    expect((await readServer(file.path, '__proto__')).entry).toMatchObject({ command: 'a' })
    expect((await failureOf(() => readServer(file.path, 'toString'))).message).toMatch(/no server 'toString'/)
    expect({}).not.toHaveProperty('command')
  })

  it.each([
    ['an array', '{\n  "mcpServers": []\n}'],
    ['a string', '{\n  "mcpServers": "tops3cret"\n}'],
    ['null', '{\n  "mcpServers": null\n}'],
  ])('F205 mcpServers that is %s fails with its place', async (_, text) => {
    await using file = await withFile(text)
    const failure = await failureOf(() => readServers(file.path))
    expect(failure.message).toMatch(/mcp\.json is broken at line 2, column 17: 'mcpServers' is not an object/)
    expect(failure.words).not.toContain('tops3cret')
  })

  it('a file that is not there fails', async () => {
    expect((await failureOf(() => readServers('/nowhere/mcp.json'))).message).toBe(
      'The file /nowhere/mcp.json does not exist.',
    )
  })

  it.runIf(POSIX).each([
    [0o644, { env: { A: 'tops3cret' } }, 1],
    [0o640, { headers: { A: 'tops3cret' } }, 1],
    [0o600, { env: { A: 'tops3cret' } }, 0],
    [0o644, { env: {} }, 0],
  ])('F205 warns of secrets that others can read (%#)', async (mode, secrets, count) => {
    const entry = 'env' in secrets ? { command: 'x', ...secrets } : { url: 'https://x.test/', ...secrets }
    await using file = await withFile({ mcpServers: { a: entry, env: { command: 'x' } } })
    await chmod(file.path, mode)
    const { warnings } = await readServers(file.path)
    expect(warnings).toHaveLength(count)
    for (const warning of warnings) expect(warning).toMatch(/other users can read it. Run chmod 600/)
    expect(warnings.join()).not.toContain('tops3cret')
  })
})

describe('readServer', () => {
  it('is not held up by another server that is wrong', async () => {
    await using file = await withFile({ mcpServers: { good: { command: 'x' }, bad: { command: 1 } } })
    expect((await readServer(file.path, 'good')).entry).toEqual({ command: 'x', args: [], env: {} })
    expect((await failureOf(() => readServers(file.path))).message).toMatch(/'command' of the server 'bad'/)
  })

  it('names the servers that there are', async () => {
    await using file = await withFile('{"mcpServers":{"a":{},"b\\u001b":{}}}')
    expect(await failureOf(() => readServer(file.path, 'c'))).toMatchObject({ hint: "It lists 'a', 'b\\x1b'." })
    await using empty = await withFile('')
    expect(await failureOf(() => readServer(empty.path, 'c'))).toMatchObject({ hint: 'It lists no servers.' })
  })
})
