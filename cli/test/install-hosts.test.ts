// mcpwire install into several hosts, with what is written tried first; and mcpwire servers, which tries all that is written.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAIN, mcpwire, program } from '../../test/support/command-line.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcpwire-hosts-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const exported = program('exported.js')
const environment = () => ({ HOME: home, USERPROFILE: home, APPDATA: home })
const typed = (...args: string[]) => mcpwire(args, { cwd: home, env: environment() })

async function put(path: string, text: string): Promise<string> {
  const file = join(home, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, text, { mode: 0o600 })
  return file
}

describe('mcpwire install', () => {
  it('cli C9: writes to JSON, TOML and YAML hosts at once, which works from there, and uninstall removes it', async () => {
    const toml = '# mine\nmodel = "o4"\n'
    const codex = await put('.codex/config.toml', toml)
    const hosts = ['--to', 'codex', '--to', 'cursor', '--host', 'goose']
    const installed = await typed('install', exported, '-n', 'calc', ...hosts, '--json')
    expect(installed.code).toBe(0)
    const { servers } = JSON.parse(installed.stdout) as { servers: Record<string, string>[] }
    expect(servers.map(({ host, state }) => [host, state])).toEqual([
      ['codex', 'added'],
      ['cursor', 'added'],
      ['goose', 'added'],
    ])
    expect(await readFile(codex, 'utf8')).toMatch(/^# mine\nmodel = "o4"\n\n\[mcp_servers\.calc\]\n/)
    for (const host of ['codex', 'goose']) {
      expect(await typed('call', `@${host}:calc`, 'add', 'a=1', 'b=2')).toMatchObject({ code: 0, stdout: '3\n' })
    }
    expect(await typed('uninstall', 'calc', ...hosts)).toMatchObject({ code: 0 })
    expect((await readFile(codex, 'utf8')).trimEnd()).toBe(toml.trimEnd())
  })

  it('writes to none of several hosts where one of them would fail, or the server does not start', async () => {
    const damaged = await put('.codex/config.toml', 'model = \n')
    expect(await typed('install', exported, '--to', 'cursor', '--to', 'codex')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('line 1'),
    })
    await rm(damaged)
    const failed = await typed('install', program('broken.js'), '--to', 'cursor', '--to', 'codex')
    expect(failed).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('Nothing was written') })
    expect(await readdir(home)).toEqual(['.codex'])
  })

  it('says what to do next in the host, and where its log is', async () => {
    const { stderr } = await typed('install', exported, '--to', 'vscode')
    expect(stderr).toMatch(/^Next: In VS Code, run "MCP: List Servers"/m)
    expect(stderr).toMatch(/^If the server does not appear, look here: /m)
  })

  it('--dry-run prints the lines that would change, without secrets, and starts nothing', async () => {
    await put(
      '.cursor/mcp.json',
      '{\n  "mcpServers": {\n    "old": { "url": "https://x.test", "headers": { "A": "s3cret" } }\n  }\n}\n',
    )
    const { code, stdout } = await typed(
      'install',
      program('broken.js'),
      '-e',
      'K=s3cret',
      '--to',
      'cursor',
      '--dry-run',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^@@ line 3 @@\n-.*\n(?:\+.*\n)+$/m)
    expect(stdout).not.toContain('s3cret')
    expect(await readdir(join(home, '.cursor'))).toEqual(['mcp.json'])
  })

  it('takes a variable of this terminal by its name alone', async () => {
    const config = join(home, 'mcp.json')
    const env = { ...environment(), OWN_VARIABLE: 'from here' }
    const given = ['install', exported, '-n', 'calc', '--config', config, '--env']
    expect(await mcpwire([...given, 'OWN_VARIABLE'], { cwd: home, env })).toMatchObject({ code: 0 })
    expect(await typed('call', '@calc', 'environment', '--config', config)).toMatchObject({ stdout: 'from here\n' })
    expect(await typed(...given, 'NOT_SET_HERE')).toMatchObject({ code: 2 })
  })

  it('writes the arguments after -- for a file', async () => {
    const config = join(home, 'mcp.json')
    await typed('install', exported, '-n', 'calc', '--config', config, '--', '--root', '/data')
    expect(JSON.parse(await readFile(config, 'utf8'))).toMatchObject({
      mcpServers: { calc: { args: [MAIN, 'run', exported, '--', '--root', '/data'] } },
    })
  })

  it('--dev writes mcpwire dev, which is tried too', async () => {
    const config = join(home, 'mcp.json')
    expect(await typed('install', exported, '-n', 'calc', '--config', config, '--dev')).toMatchObject({ code: 0 })
    expect(await typed('call', '@calc', 'add', 'a=1', 'b=2', '--config', config)).toMatchObject({ stdout: '3\n' })
  })

  it.skipIf(process.platform === 'win32')(
    '--portable writes npx with this version, and tries exactly that',
    async () => {
      const config = join(home, 'mcp.json')
      const npx = await put('bin/npx', `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
      await chmod(npx, 0o755)
      const env = { ...environment(), PATH: `${join(home, 'bin')}${delimiter}${process.env['PATH']}` }
      const given = ['install', exported, '-n', 'calc', '--config', config, '--portable']
      expect(await mcpwire(given, { cwd: home, env })).toMatchObject({ code: 0 })
      const { mcpServers } = JSON.parse(await readFile(config, 'utf8')) as { mcpServers: { calc: object } }
      expect(mcpServers.calc).toMatchObject({
        command: 'npx',
        args: ['-y', expect.stringMatching(/^mcpwire@\d/), 'run', exported],
      })
    },
  )

  it.each([
    ['a URL where nothing listens', ['http://127.0.0.1:1/mcp'], 3],
    ['a command that does not exist', ['-n', 'x', '--', 'no-such-command-here'], 3],
    ['a command that is no server', ['-n', 'x', '--', process.execPath, '-e', ''], 3],
  ])('writes nothing for %s', async (_what, target, code) => {
    const result = await typed('install', '--config', 'mcp.json', ...target)
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining('Nothing was written') })
    expect(await readdir(home)).toEqual([])
  })
})

describe('mcpwire servers', () => {
  it('lists all files with the state of each server, without secrets', async () => {
    const works = { command: process.execPath, args: [MAIN, 'run', exported], env: { KEY: 's3cret' } }
    const entries = {
      works,
      gone: { command: 'no-such-command-here' },
      off: { ...works, disabled: true },
      odd: { flavour: 1 },
      far: { url: 'http://127.0.0.1:1/mcp?key=s3cret' },
    }
    await put('.cursor/mcp.json', JSON.stringify({ mcpServers: entries }))
    await put('.codex/config.toml', 'model = \n')
    const { code, stdout } = await typed('servers', '--json')
    expect(code).toBe(0)
    expect(stdout).not.toContain('s3cret')
    const { files } = JSON.parse(stdout) as {
      files: { host: string; problem?: string; servers: { name: string; state: string; reason?: string }[] }[]
    }
    const cursor = files.find(({ host }) => host === 'cursor')
    expect(cursor?.servers.map(({ name, state }) => [name, state])).toEqual([
      ['works', 'starts'],
      ['gone', 'fails'],
      ['off', 'disabled'],
      ['odd', 'invalid'],
      ['far', 'fails'],
    ])
    expect(cursor?.servers[1]?.reason).toContain('no-such-command-here')
    expect(files.find(({ host }) => host === 'codex')?.problem).toContain('line 1')
    const shown = await typed('servers', '--of', 'cursor')
    expect(shown.stdout).toMatch(/^Cursor · .*mcp\.json\n {2}works +starts\n {2}gone +cannot start: /)
    expect(await typed('servers', '--of', 'notepad')).toMatchObject({ code: 2 })
  })

  it('starts nothing that a file of the project lists, without --yes', async () => {
    const entry = { command: process.execPath, args: [MAIN, 'run', exported] }
    await put('.mcp.json', JSON.stringify({ mcpServers: { here: entry } }))
    const states = async (...args: string[]) => {
      const { files } = JSON.parse((await typed('servers', '--json', ...args)).stdout) as {
        files: { servers: { state: string }[] }[]
      }
      return files.flatMap(({ servers }) => servers.map(({ state }) => state))
    }
    expect(await states()).toEqual(['not checked'])
    expect(await states('--yes')).toEqual(['starts'])
    expect(await states('--yes', '--no-check')).toEqual(['not checked'])
  })
})
