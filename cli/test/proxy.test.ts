// mcpwire proxy: in front of one server and of several, over both transports and in both eras, without a child left.
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MAIN, mcpwire, program, startCommand } from '../../test/support/command-line.ts'

const server = program('exported.js')
const behind = (...args: string[]) => ['--', process.execPath, MAIN, 'proxy', ...args]
const stdioServer = { command: process.execPath, args: [program('stdio-server.js')] }

function configFile(mcpServers: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-proxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers }))
  return config
}

describe('mcpwire proxy', () => {
  it.each(['legacy', 'modern'])('stands in front of one server, mode %s', async (mode) => {
    const called = await mcpwire(['call', 'add', 'a=1', 'b=2', '--quiet', '--mode', mode, ...behind(server)])
    expect(called).toMatchObject({ code: 0, stdout: '3\n' })
  })

  it('gives several servers names, and shows what was chosen', async () => {
    const several = ['--as', `one=${server}`, '--as', `two=${server}`]
    const { stdout } = await mcpwire(['list', '--tools', '--names', ...behind(...several)])
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['one_add', 'two_add', 'two_echo']))
    const chosen = await mcpwire([
      'list',
      '--tools',
      '--names',
      ...behind(...several, '--only', '*_add', '--hide', 'one_*'),
    ])
    expect(chosen.stdout).toBe('two_add\n')
  })

  it('compose X100 takes the servers of a config file', async () => {
    const entry = { ...stdioServer, disabledNote: 'x' }
    const config = configFile({ first: entry, second: entry })
    const { stdout, code } = await mcpwire(['list', '--tools', '--names', ...behind('--config', config, '--yes')])
    expect(code).toBe(0)
    const owners = new Set(
      stdout
        .trim()
        .split('\n')
        .map((name) => name.split('_')[0]),
    )
    expect([...owners]).toEqual(['first', 'second'])
    expect(await mcpwire(['proxy', '--config', `${config}.none`])).toMatchObject({ code: 3 })
  })

  it('takes @names of a config file from that file, and no others of it', async () => {
    const config = configFile({ first: stdioServer, second: { command: 'mcpwire-no-such-command' } })
    const names = async (...args: string[]) => mcpwire(['list', '--tools', '--names', ...behind(...args)])
    const one = await names('@first', '--config', config)
    expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/^add$/m) })
    const two = await names('--config', config, '--as', 'x=@first', '--as', `y=${server}`)
    expect(new Set(two.stdout.match(/^[a-z]+(?=_)/gm))).toEqual(new Set(['x', 'y']))
    expect(await mcpwire(['proxy', '@third', '--config', config])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/lists no server 'third'\.\s*.*'first', 'second'/),
    })
  })

  it('starts no server that a config file has disabled', async () => {
    const off = { command: 'mcpwire-no-such-command', disabled: true }
    const config = configFile({ off, off2: { ...off, disabled: false, enabled: false }, on: stdioServer })
    const { stdout, stderr } = await mcpwire(['list', '--tools', '--names', '-v', ...behind('--config', config)])
    expect(stdout).toMatch(/^on_add$/m)
    expect(stderr).toContain("The server 'off' is disabled and is left out.")
    expect(stderr).toContain("The server 'off2' is disabled and is left out.")
    expect(stderr).not.toContain('no-such-command')
    for (const args of [['@off'], ['@off2'], ['--as', 'x=@off']]) {
      expect(await mcpwire(['proxy', ...args, '--config', config])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/The server 'off2?' is disabled in .*servers\.json\.\s+Enable it/),
      })
    }
    const all = configFile({ off })
    expect(await mcpwire(['proxy', '--config', all])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('are disabled.'),
    })
    expect(await mcpwire(['list', '--config', all])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('are disabled.'),
    })
  })

  it('names of hosts and files become names that can stand before others', async () => {
    const config = configFile({ 'Home Assistant (é)': stdioServer, '???': stdioServer })
    const listed = async (...args: string[]) =>
      (await mcpwire(['list', '--tools', '--names', ...behind(...args)])).stdout
    const all = await listed('--config', config)
    expect(new Set(all.match(/^\w+(?=_add$)/gm))).toEqual(new Set(['Home_Assistant', 'server']))
    expect(await listed('@???', '@Home Assistant (é)', '--config', config)).toContain('Home_Assistant_add')
  })

  it('a config file or a document as target: the error names what takes it', async () => {
    const config = configFile({ first: stdioServer })
    const { code, stderr } = await mcpwire(['proxy', config])
    expect(code).toBe(2)
    expect(stderr).toContain(`--config ${config}`)
    expect(stderr).toContain(`mcpwire openapi ${config}`)
  })

  it.each([
    [[], 'The target is missing.'],
    [['--as', 'nothing'], '"nothing" is not of the form name=target.'],
    [['--as', `a/b=${server}`], 'The name "a/b" of --as'],
    [[server, server], 'Two targets have the name'],
    [[server, '--port', '1'], '--port needs --http.'],
  ])('%j is exit code 2', async (args, message) => {
    expect(await mcpwire(['proxy', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  it('says on its stderr why a target cannot be reached', async () => {
    const { stderr } = await mcpwire([
      'list',
      '-v',
      ...behind('--as', 'gone=http://127.0.0.1:1/mcp', '--as', `two=${server}`),
    ])
    expect(stderr).toMatch(
      /The source 'gone' can't be reached\. Could not connect to http:\/\/127\.0\.0\.1:1\/mcp: nothing accepts/,
    )
  })

  it('says on its stderr that a name to hide is not there: names have that of their server in front', async () => {
    const hidden = async (name: string) =>
      mcpwire(['list', '--tools', '--names', '-v', ...behind('--as', `one=${server}`, '--hide', name)])
    const wrong = await hidden('add')
    expect(wrong.stderr).toMatch(
      /hide\(\) names "add", but no tool or prompt has that name\. Use names as they are listed/,
    )
    expect(wrong.stdout).toContain('one_add')
    const right = await hidden('one_add')
    expect(right.stderr).not.toContain('hide()')
    expect(right.stdout).not.toContain('one_add')
  })

  it('a file that does not exist is exit code 3', async () => {
    expect(await mcpwire(['proxy', 'nothing.ts'])).toMatchObject({ code: 3 })
  })

  it.skipIf(process.platform !== 'linux')('cli C7: Ctrl-C over HTTP leaves no child', async () => {
    const mark = `MCPWIRE_TEST_MARK_PROXY_${process.pid}`
    const child = startCommand([
      'proxy',
      '--http',
      '--port',
      '0',
      '--',
      process.execPath,
      program('stdio-server.js'),
      mark,
    ])
    onTestFinished(() => void child.kill('SIGKILL'))
    let shown = ''
    for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      shown += String(text)
      if (shown.includes('Listening on ')) break
    }
    const [, url = ''] = /Listening on (\S+)/.exec(shown) ?? []
    expect((await mcpwire(['list', url, '--names'])).code).toBe(0)
    expect(processesWith(mark)).not.toEqual([])
    child.kill('SIGINT')
    await once(child, 'exit')
    expect(processesWith(mark)).toEqual([])
  })
})

function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      return /^\d+$/.test(name) && words.at(-2) === word && !words.includes('proxy')
    } catch {
      return false
    }
  })
}
