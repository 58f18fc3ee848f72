// Targets as they are typed: URLs without scheme and path, projects, and names in config files.
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveHttp } from 'mcpwire/node'
import { MCPServer } from 'mcpwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpwire } from '../../test/support/command-line.ts'
import { createExampleProject, type ExampleProject } from './example-project.ts'

function project(): ExampleProject {
  const made = createExampleProject()
  onTestFinished(() => made[Symbol.dispose]())
  return made
}

const ADD = ['add', 'a=1', 'b=2', '--quiet']

describe('a target that is a URL', () => {
  it('needs neither scheme nor path on this machine', async () => {
    const server = new MCPServer('remote')
    server.tool('hello', {}, () => 'hello')
    await using serving = await serveHttp(server, { port: 0 })
    const { port } = new URL(serving.url)
    for (const word of [`:${port}`, `127.0.0.1:${port}`, `localhost:${port}/mcp`]) {
      expect(await mcpwire(['call', word, 'hello'])).toEqual({ code: 0, stdout: 'hello\n', stderr: '' })
    }
  })
})

describe('a target that is a file', () => {
  it('is the project of a folder: by package.json, or by the usual names', async () => {
    const { folder, run } = project()
    expect(await run('call', '.', ...ADD)).toMatchObject({ code: 0, stdout: '3\n' })
    await rename(join(folder, 'server.js'), join(folder, 'other.js'))
    expect(await run('call', '.', ...ADD)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('has no server file'),
    })
    await writeFile(join(folder, 'package.json'), '{"type":"module","mcpwire":{"server":"other.js:server"}}')
    expect(await run('call', '.', ...ADD)).toMatchObject({ code: 0, stdout: '3\n' })
  })
})

describe('a target that is a name', () => {
  it('is looked up in the files of the project, upwards, and started only with consent', async () => {
    const { folder, env, run } = project()
    await mkdir(join(folder, 'deep/er'), { recursive: true })
    const cwd = join(folder, 'deep/er')
    const refused = await mcpwire(['call', '@shop', ...ADD], { cwd, env })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toBe(
      `mcpwire: ${join(folder, 'mcp.json')} starts a program, and nobody is there to agree: node stdio-server.js\nUse --yes to start it.\n`,
    )
    expect(await mcpwire(['call', '@shop', ...ADD, '--yes'], { cwd, env })).toMatchObject({ code: 0, stdout: '3\n' })
    // A file that the user names needs no further consent.
    expect(await run('call', '@shop', ...ADD, '--config', 'mcp.json')).toMatchObject({ code: 0, stdout: '3\n' })
  })

  it('is looked up in the config of hosts, and in one of them by host:name', async () => {
    const { folder, env, run } = project()
    const entry = { command: process.execPath, args: [join(folder, 'stdio-server.js')], disabled: false, flavour: 1 }
    const host = join(env['HOME'] ?? '', '.cursor')
    await mkdir(host, { recursive: true })
    await writeFile(join(host, 'mcp.json'), JSON.stringify({ mcpServers: { mine: entry } }), { mode: 0o600 })
    for (const name of ['@mine', '@cursor:mine']) {
      expect(await run('call', name, ...ADD)).toMatchObject({ code: 0, stdout: '3\n' })
    }
    const warned = await run('call', '@mine', 'add', 'a=1', 'b=2')
    expect(warned.stderr).toContain("'flavour' of the server 'mine' is unknown and is ignored")
    expect(await run('list', '@min')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No config file lists a server "min". Did you mean "mine"?'),
    })
  })

  it('is the only server of --config, or one that is named', async () => {
    const { folder, run } = project()
    const entry = { command: process.execPath, args: ['stdio-server.js'] }
    await writeFile(join(folder, 'two.json'), JSON.stringify({ mcpServers: { one: entry, two: entry } }))
    expect(await run('call', '--config', 'mcp.json', ...ADD)).toMatchObject({ code: 0, stdout: '3\n' })
    expect(await run('call', '--config', 'two.json', ...ADD)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one, two'),
    })
    expect(await run('call', '--config', 'two.json', '--server', 'two', ...ADD)).toMatchObject({ stdout: '3\n' })
    expect(await run('call', '@three', '--config', 'two.json', ...ADD)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It lists'),
    })
  })
})

describe('a target that is none of these', () => {
  it.each([
    [['list', 'foo'], 2, '"foo" is not a target', 'Use -- foo for a command, or @foo for a configured server'],
    [['list', 'server'], 2, '"server" is not a target', 'Use server.js for that file'],
    [['list', 'order.json'], 2, 'order.json is not a JavaScript or TypeScript file.', '-- <program> order.json'],
    [['list', ''], 2, 'The target is empty.', 'Give a URL, a file, @name, or a command after --'],
    [['list'], 2, 'The target is missing.', 'Give a URL, a file, @name, or a command after --'],
    [['list', '--'], 2, 'There is no command after --.', 'Example: '],
    [['list', '@'], 2, 'The name after @ is missing.', 'Example: '],
    [['list', 'server.js', '--', 'node'], 2, 'Unexpected argument "server.js".', 'Usage'],
    [['list', 'server.js', '--server', 'x'], 2, '--server needs --config.', ''],
    [['list', 'localhost', '--cwd', '/'], 2, '--cwd needs a file or a command as target.', ''],
    [['list', 'server.js', '--token', 'x'], 2, '--token needs a URL target.', ''],
    [['list', 'localhost', '--token', 'env:NOT_SET'], 2, 'The variable NOT_SET of --token is not set.', ''],
  ])('%j', async (args, code, message, fix) => {
    const { run } = project()
    const result = await run(...args)
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toContain(message)
    expect(result.stderr).toContain(fix)
  })

  it('R34 is never started: what starts is typed or listed, word for word and without a shell', async () => {
    const { folder, run } = project()
    const config = join(folder, 'evil.json')
    const evil = { command: 'echo x; touch pwned', args: ['$(touch pwned)'] }
    await writeFile(config, JSON.stringify({ mcpServers: { x: evil } }))
    const before = await readdir(folder)
    for (const args of [
      ['list', 'echo x; touch pwned'],
      ['list', '--connect-timeout', '5', '--', 'echo', '$(touch pwned)', '; touch pwned'],
      ['list', '--config', config],
    ]) {
      expect([2, 3]).toContain((await run(...args)).code)
    }
    expect(await readdir(folder)).toEqual(before)
  })
})
