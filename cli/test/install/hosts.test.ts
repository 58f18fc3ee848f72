// The hosts: where their files are, in which form, and which of them are not edited here.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { findHost, findHosts, hostNames } from '../../install/hosts.ts'
import { failureOf, POSIX } from './config-support.ts'

// The table of hosts looks at the home directory when it is loaded.
const home = await vi.hoisted(async () => {
  const [{ mkdtempSync }, { tmpdir }, path] = await Promise.all([
    import('node:fs'),
    import('node:os'),
    import('node:path'),
  ])
  const before = { ...process.env }
  for (const name of Object.keys(process.env)) {
    if (/^(XDG_CONFIG_HOME|APPDATA|\w+_HOME|CLINE_DIR|PI_CODING_AGENT_DIR)$/.test(name)) delete process.env[name]
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'mcpwire-home-'))
  Object.assign(process.env, { HOME: folder, USERPROFILE: folder })
  return { before, path: folder }
})

afterAll(() => {
  rmSync(home.path, { recursive: true, force: true })
  process.env = home.before
})

const SECRET = 'tops3cret'
const command = { command: 'npx', args: ['-y', 'x'], env: { KEY: SECRET } }
const remote = { url: 'https://x.test/mcp', headers: { Authorization: SECRET } }

describe('hosts', () => {
  it('are known by name', () => {
    expect(hostNames()).toEqual(expect.arrayContaining(['claude-code', 'claude-desktop', 'cursor', 'vscode', 'zed']))
    expect(findHost('vscode')).toMatchObject({ name: 'vscode', displayName: 'VS Code' })
  })

  it.each(['nobody', '__proto__', 'constructor', ''])('a name that is not known is a mistake: %j', async (name) => {
    const failure = await failureOf(() => findHost(name))
    expect(failure).toMatchObject({ exitCode: 2, hint: expect.stringMatching(/claude-desktop, .*zed/) })
  })

  it('are found where their folders are', async () => {
    expect(await findHosts()).toEqual([])
    mkdirSync(join(home.path, '.cursor'))
    mkdirSync(join(home.path, '.claude'))
    expect(await findHosts()).toEqual(['claude-code', 'cursor'])
  })

  it.runIf(process.platform === 'linux').each([
    ['claude-desktop', '.config/Claude/claude_desktop_config.json', 'mcpServers'],
    ['claude-code', '.claude.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['vscode', '.config/Code/User/mcp.json', 'servers'],
    ['zed', '.config/zed/settings.json', 'context_servers'],
  ])('%s keeps its servers in the home directory', (name, path, key) => {
    expect(findHost(name).configPath({})).toBe(join(home.path, path))
    expect(findHost(name).serversKey({})).toBe(key)
  })

  it.each([
    ['claude-code', '.mcp.json'],
    ['cursor', '.cursor/mcp.json'],
    ['vscode', '.vscode/mcp.json'],
    ['zed', '.zed/settings.json'],
    ['github-copilot-cli', '.mcp.json'],
  ])('%s has a file in projects', (name, path) => {
    expect(findHost(name).configPath({ project: true, cwd: '/work' })).toBe(join('/work', path))
  })

  it('some have none there', async () => {
    const failure = await failureOf(() => findHost('claude-desktop').configPath({ project: true }))
    expect(failure).toMatchObject({ exitCode: 2, message: 'Claude Desktop has no configuration for projects.' })
  })

  it('every one writes down a command, and a URL if it can', async () => {
    for (const name of hostNames()) {
      if (name === 'opencode') continue
      const host = findHost(name)
      expect(JSON.stringify(host.render('s', command, {}))).toMatch(/npx.*-y.*KEY.*tops3cret/)
      if (name === 'claude-desktop') continue
      const plain = { url: remote.url, headers: { 'X-Key': SECRET } }
      expect(JSON.stringify(host.render('s', plain, {}))).toMatch(/x\.test.*tops3cret/)
    }
  })

  it.each([
    ['claude-code', { type: 'http', url: remote.url, headers: remote.headers }],
    ['vscode', { type: 'http', url: remote.url, headers: remote.headers }],
    ['cursor', { url: remote.url, headers: remote.headers }],
    ['zed', { source: 'custom', type: 'http', url: remote.url, headers: remote.headers }],
  ])('%s gets a URL in its own form', (name, expected) => {
    expect(findHost(name).render('s', remote, {})).toEqual(expected)
  })

  it('Claude Desktop takes no URL from its file', async () => {
    const failure = await failureOf(() => findHost('claude-desktop').render('s', remote, {}))
    expect(failure.message).toBe('Claude Desktop does not take a server with a URL from its configuration file.')
    expect(failure.hint).toMatch(/Connectors/)
  })

  it('F205 what the table itself refuses is told without values', async () => {
    const failure = await failureOf(() => findHost('fx').render('s', remote, {}))
    expect(failure.message).toMatch(/^fx does not take this server: .*Authorization/)
    expect(failure.words).not.toContain(SECRET)
  })

  it('a working directory, which hosts do not know, is refused', async () => {
    const failure = await failureOf(() => findHost('cursor').render('s', { ...command, cwd: '/x' }, {}))
    expect(failure.message).toMatch(/has no working directory for a server/)
  })
})

describe('hosts whose files are not edited here', () => {
  it.each([['opencode', 'two layouts', '{\n  "mcp": {\n    "a.b": {\n      "type": "local",']])(
    'F205 %s: says so, and what to add, without values',
    async (name, kind, snippet) => {
      const failure = await failureOf(() => findHost(name, { name: 'a.b', entry: command }))
      expect(failure.message).toContain(kind)
      expect(failure.message).toContain(POSIX ? home.path : '')
      expect(failure.hint).toContain(snippet)
      expect(failure.words).not.toContain(SECRET)
      expect((await failureOf(() => findHost(name))).hint).toMatch(/^Edit the servers under/)
    },
  )
})
