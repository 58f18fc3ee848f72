// mcpwire install and uninstall, as typed: a server in the file of a host, used from there, and gone again.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAIN, mcpwire, program } from '../../test/support/command-line.ts'

let home = ''

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcpwire-home-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** With a home of its own, wherever this platform looks for it. */
function typed(...args: string[]) {
  return mcpwire(args, { cwd: home, env: { HOME: home, USERPROFILE: home, APPDATA: home, XDG_CONFIG_HOME: home } })
}

const exported = program('exported.js')
const cursorFile = () => join(home, '.cursor/mcp.json')
const serversIn = async (file: string) =>
  (JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, unknown> }).mcpServers

describe('mcpwire install', () => {
  it('puts a server where its host finds it, and it works from there', async () => {
    const installed = await typed('install', exported, '--host', 'cursor', '-e', 'OWN_VARIABLE=s3cret', '-n', 'calc')
    expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("Added the server 'calc'") })
    expect(installed.stdout + installed.stderr).not.toContain('s3cret')
    const call = await typed('call', '@calc', 'environment', '--config', cursorFile())
    expect(call.stdout).toBe('s3cret\n')
    expect(await typed('uninstall', 'calc', '--host', 'cursor')).toMatchObject({ code: 0 })
    expect(await serversIn(cursorFile())).toEqual({})
  })

  it.skipIf(process.platform === 'win32')('F205 keeps secrets for their owner', async () => {
    await mkdir(dirname(cursorFile()), { recursive: true })
    await writeFile(cursorFile(), '{}', { mode: 0o644 })
    const { stderr } = await typed('install', exported, '--host', 'cursor', '-e', 'TOKEN=s3cret')
    expect((await stat(cursorFile())).mode & 0o777).toBe(0o600)
    expect(stderr).toContain('Its mode is 600 now')
  })

  it('F205 loses nothing when several are at it at once', async () => {
    const names = ['a', 'b', 'c', 'd']
    const config = join(home, 'mcp.json')
    const codes = await Promise.all(
      names.map(async (name) => (await typed('install', exported, '-n', name, '--config', config)).code),
    )
    expect(codes).toEqual([0, 0, 0, 0])
    expect(Object.keys(await serversIn(config)).sort()).toEqual(names)
    expect(await readdir(home)).toEqual(['mcp.json', 'mcp.json.mcpwire-backup'])
  })

  it('F205 leaves a damaged file as it is, and says where it is damaged', async () => {
    const config = join(home, 'mcp.json')
    await writeFile(config, '{\n  "mcpServers": {\n    "x": { "command":')
    const { code, stderr } = await typed('install', exported, '--config', config)
    expect(code).toBe(1)
    expect(stderr).toMatch(/mcp\.json.*line 3/is)
    expect(await readFile(config, 'utf8')).toBe('{\n  "mcpServers": {\n    "x": { "command":')
  })

  it('always writes mcpwire run for a file, which keeps stdout clean whatever the host gives', async () => {
    const config = join(home, 'mcp.json')
    await typed('install', exported, '-n', 'calc', '--config', config)
    expect(await serversIn(config)).toMatchObject({ calc: { args: [MAIN, 'run', exported] } })
  })

  it('never writes an entry for server.ts that cannot work on this Node', async () => {
    const config = join(home, 'mcp.json')
    const file = join(home, 'server.ts')
    const text = await readFile(exported, 'utf8')
    await writeFile(file, `${text}\nexport const count: number = 1\n`)
    await mkdir(join(home, 'node_modules'))
    await symlink(fileURLToPath(new URL('../..', import.meta.url)), join(home, 'node_modules', 'mcpwire'), 'junction')
    await writeFile(join(home, 'package.json'), '{ "type": "module" }')
    const { code, stderr } = await typed('install', file, '--config', config)
    const starts = await typed('call', file, 'add', '--args', '{"a":1,"b":2}')
    const isWritten = (await readdir(home)).includes('mcp.json')
    expect({ code, isWritten }).toEqual(
      starts.code === 0 ? { code: 0, isWritten: true } : { code: 3, isWritten: false },
    )
    if (starts.code !== 0) expect(stderr).toContain('does not run TypeScript files')
  })

  it.each([
    ['that does not load', 'broken.js', 'broken while loading'],
    ['that has no server', 'none.js', 'neither runs nor exports a server'],
    ['that has several', 'two.js', 'exports several servers: first, second'],
  ])('writes nothing for a file %s, and says why once', async (_what, file, reason) => {
    const config = join(home, 'mcp.json')
    const { code, stdout, stderr } = await typed('install', program(file), '--config', config)
    expect({ code, stdout, files: await readdir(home) }).toEqual({ code: 3, stdout: '', files: [] })
    expect(stderr.split(reason)).toHaveLength(2)
    expect(stderr).toContain('Nothing was written')
    expect((await typed('install', program(file), '--config', config, '--no-check')).code).toBe(0)
    expect(Object.keys(await serversIn(config))).toHaveLength(1)
  })

  it('says why a file ended that was tried, in the words of who named the file', async () => {
    const file = join(home, 'ends.mjs')
    await writeFile(file, "console.error('API_KEY is not set')\nprocess.exit(7)\n")
    const { code, stderr } = await typed('install', file, '--to', 'cursor')
    expect(code).toBe(3)
    expect(stderr).toBe(
      `mcpwire: ${file} ended with exit code 7 before it served. The last lines of its stderr:\n    API_KEY is not set\n` +
        `Run \`mcpwire run ${file}\` to see why. Use --env for variables that it needs.\n` +
        'Nothing was written. The server was started in /, as a host would start it.\nUse --no-check to write the entry anyway.\n',
    )
  })

  it('does not copy NODE_OPTIONS: the entry is tried without it', async () => {
    const config = join(home, 'mcp.json')
    await writeFile(join(home, 'hook.mjs'), 'globalThis.process.env.OWN_VARIABLE = "from the hook"')
    const NODE_OPTIONS = `--import ${pathToFileURL(join(home, 'hook.mjs')).href}`
    const env = { HOME: home, XDG_CONFIG_HOME: home, NODE_OPTIONS }
    expect(await mcpwire(['install', exported, '--config', config], { cwd: home, env })).toMatchObject({ code: 0 })
    expect(await serversIn(config)).toEqual({ exported: { command: process.execPath, args: [MAIN, 'run', exported] } })
  })

  it.each([
    [['https://calc.example/mcp'], 'calc.example'],
    [['--name', 'calc', '--', 'npx', '-y', '@scope/calc-server@1.2.3'], 'calc'],
    [[exported], 'exported'],
    [[`${exported}:server`], 'exported'],
  ])('calls %j by a name of its own', async (target, name) => {
    const { code, stdout } = await typed('install', '--dry-run', '--host', 'cursor', ...target)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Would add the server '${name}'`) })
    expect(await readdir(home)).toEqual([])
  })

  it('makes nothing where it fails, and masks what it would have written', async () => {
    expect((await typed('install', 'https://x.example/mcp', '--host', 'claude-desktop')).code).toBe(1)
    expect(await readdir(home)).toEqual([])
    const target = ['--name', 'x', '--', 'npx', 'some-server', '--api-key', 's3cret']
    expect((await typed('install', '--dry-run', '--host', 'cursor', ...target)).stdout).not.toContain('s3cret')
  })

  it('warns where a host would not find what it is to start', async () => {
    await writeFile(join(home, 'here.js'), '')
    const { stderr } = await typed('install', '--no-check', '--to', 'cursor', '--name', 'x', '--', 'node', 'here.js')
    expect(stderr).toContain('here.js: relative paths do not work')
  })

  it.each([
    [[exported], 2, 'The host is missing.'],
    [[exported, '--host', 'notepad'], 2, 'Unknown host "notepad"'],
    [[exported, '--host', 'opencode', '-e', 'TOKEN=s3cret'], 1, 'has two layouts'],
    [['https://x.example/mcp', '--host', 'claude-desktop'], 1, 'does not take a server with a URL'],
    [['--host', 'cursor', '--', 'npx', 'server', 's3cret'], 2, 'A command has no default name.'],
    [['missing.js', '--host', 'cursor'], 3, 'does not exist.'],
    [['--host', 'cursor'], 2, 'The target is missing.'],
  ])('explains what is wrong with %j', async (args, code, message) => {
    const result = await typed('install', ...args)
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect(result.stderr).not.toMatch(/^\s+at |s3cret/m)
  })
})

describe('mcpwire', () => {
  it('--version and version say which one it is', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect(await typed('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const { code, stdout, stderr } = await typed('version')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      new RegExp(`^mcpwire ${version}\nnode ${process.versions.node}\nprotocol 2026-07-28 \\(modern\\), 2025-11-25, `),
    )
    expect(JSON.parse((await typed('version', '--json')).stdout)).toMatchObject({
      mcpwire: version,
      protocol: { modern: ['2026-07-28'] },
    })
  })

  it('helps, on stdout where that was asked for and on stderr otherwise', async () => {
    expect(await typed('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('inspect'), stderr: '' })
    expect(await typed()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('inspect') })
    expect(await typed('inspekt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "inspect"?'),
    })
  })
})
