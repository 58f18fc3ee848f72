// mcpwire doctor without a target, as typed: Node, TypeScript, the project of the folder, the environment, and the hosts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpwire, program } from '../../../test/support/command-line.ts'
import { checkNode } from '../../doctor/machine/node.ts'
import { createExampleProject } from '../example-project.ts'

interface Findings {
  ok: boolean
  findings: {
    title: string
    state: string
    text: string
    details?: string[]
    problem?: { cause: string; fix: string[] }
  }[]
}

function createHome(files: Record<string, string> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'mcpwire-doctor-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return home
}

async function doctor(home: string, { cwd = home, env = {} }: { cwd?: string; env?: Record<string, string> } = {}) {
  const { code, stdout, stderr } = await mcpwire(['doctor', '--json'], {
    cwd,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), ...env },
  })
  expect(stderr).toBe('')
  const { ok, findings } = JSON.parse(stdout) as Findings
  return { code, ok, find: (title: string) => findings.find((finding) => finding.title === title) }
}

const servers = (entries: Record<string, unknown>) => JSON.stringify({ mcpServers: entries })
const working = { command: process.execPath, args: [program('stdio-server.js')] }

describe('mcpwire doctor without a target', () => {
  it('checks Node and names the TypeScript loader that a file here would get', async () => {
    const { code, ok, find } = await doctor(createHome())
    expect({ code, ok }).toEqual({ code: 0, ok: true })
    expect(find('Node')).toMatchObject({ state: 'ok', text: expect.stringContaining(process.versions.node) })
    expect(find('TypeScript')?.text).toMatch(/^TypeScript by (?:the built-in loader|the type stripping of Node)/)
    expect(checkNode('20.18.0')).toMatchObject({ state: 'fault', problem: { slug: 'node-too-old' } })
    expect(checkNode('18.20.0').state).toBe('fault')
    expect(checkNode('23.1.0').state).toBe('warning')
    expect(checkNode('24.0.0').state).toBe('ok')
  })

  it('finds several copies of mcpwire, and a package without "type": "module"', async () => {
    const project = createExampleProject()
    onTestFinished(() => project[Symbol.dispose]())
    const found = await doctor(createHome(), { cwd: project.folder })
    expect(found.find('Module type')).toMatchObject({ state: 'ok' })
    const copy = join(project.folder, 'node_modules/other/node_modules/mcpwire')
    mkdirSync(copy, { recursive: true })
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ name: 'mcpwire', version: '0.1.0' }))
    writeFileSync(join(project.folder, 'package.json'), JSON.stringify({ name: 'shop' }))
    const { code, find } = await doctor(createHome(), { cwd: project.folder })
    expect(code).toBe(0)
    expect(find('Copies')).toMatchObject({ state: 'warning', details: expect.arrayContaining([`0.1.0 in ${copy}`]) })
    expect(find('Module type')).toMatchObject({
      state: 'warning',
      problem: { fix: [expect.stringContaining('type=module')] },
    })
  })

  it('warns of proxies, which are not used, and of TLS that is not checked', async () => {
    const env = { HTTPS_PROXY: 'http://proxy.example:8080', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const { find } = await doctor(createHome(), { env: { ...env, NODE_NO_WARNINGS: '1' } })
    expect(find('Proxy')).toMatchObject({ state: 'warning', text: expect.stringContaining('HTTPS_PROXY is set') })
    expect(find('TLS')).toMatchObject({ state: 'warning' })
  })

  it('starts the entries of each host as the host does, and names those that cannot start', async () => {
    const home = createHome({
      '.cursor/mcp.json': servers({
        shop: working,
        gone: { command: '/no/such/program' },
        off: { command: 'x', disabled: true },
      }),
    })
    const { code, ok, find } = await doctor(home)
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    expect(find('Cursor')).toMatchObject({
      state: 'fault',
      text: `1 of 3 servers in ${join(home, '.cursor/mcp.json')} cannot start`,
      details: [expect.stringContaining('gone: Could not connect to /no/such/program')],
    })
  })

  it('names a file that the host cannot read', async () => {
    const home = createHome({ '.cursor/mcp.json': '{ "mcpServers": { ' })
    const { code, find } = await doctor(home)
    expect(code).toBe(1)
    expect(find('Cursor')).toMatchObject({
      state: 'fault',
      problem: { fix: [`Correct ${join(home, '.cursor/mcp.json')}.`] },
    })
  })

  it('prints one line per finding', async () => {
    const home = createHome({ '.cursor/mcp.json': servers({ shop: working }) })
    const { code, stdout } = await mcpwire(['doctor'], { cwd: home, env: { HOME: home, XDG_CONFIG_HOME: home } })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^✓ Node +Node \d/m)
    expect(stdout).toMatch(/^✓ Cursor +1 server in /m)
  })
})
