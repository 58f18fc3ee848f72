// What somebody meets first in a project of their own: the name of an entry, folders, and messages about their own files.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveHttp } from 'mcpwire/node'
import { MCPServer } from 'mcpwire/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcpwire } from '../../test/support/command-line.ts'
import { startWaiting } from '../terminal/progress.ts'
import { recordOutput } from './install/config-support.ts'
import { createProject, type Project } from './typescript/projects.ts'

const SERVER = `import { MCPServer } from 'mcpwire'
export const server = new MCPServer('shop')
server.tool('price', () => 12)
server.resource('logo://png', () => new Uint8Array([137, 80, 78, 71, 0, 10]))
`

let project: Project
beforeAll(async () => {
  project = await createProject({
    server: 'src/server.ts',
    files: {
      'package.json': JSON.stringify({ name: '@acme/shop-tools', type: 'module' }),
      'src/server.ts': SERVER,
      'src/prices.ts': SERVER,
      'no-package.ts': `import nothing from 'not-installed'\nnothing()\n`,
      'no-file.ts': `import nothing from './nothing.ts'\nnothing()\n`,
      'wrong.ts': `import { MCPServer } from 'mcpwire'\n\nnew MCPServer('shop').resource('a', 'b' as never)\n`,
    },
  })
})
afterAll(() => project[Symbol.asyncDispose]())

const run = (...args: string[]) => mcpwire(args, { cwd: project.folder })

describe('mcpwire install', () => {
  it.each([
    ['.', 'shop-tools'],
    ['src', 'shop-tools'],
    ['src/server.ts', 'shop-tools'],
    ['src/prices.ts', 'prices'],
  ])('names %s %s', async (target, name) => {
    const { code, stdout, stderr } = await run('install', target, '--config', 'mcp.json', '--dry-run')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(`Would add the server '${name}' in the file: `)
    // The file is not there: nothing of it goes.
    expect(stdout).toContain('mcp.json, which would be created\n')
    expect(stdout).not.toMatch(/^-/m)
  })

  it('finds the path of a server on a port', async () => {
    const server = new MCPServer('remote')
    await using serving = await serveHttp(server, { port: 0 })
    const { port } = new URL(serving.url)
    const config = join(project.folder, 'port.json')
    for (const state of ['Added', 'already in']) {
      const { code, stdout } = await run('install', `:${port}`, '--name', 'remote', '--config', config)
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(state) })
    }
    expect(readFileSync(config, 'utf8')).toContain(`"http://localhost:${port}/mcp"`)
  })

  it('uninstall names a config file that does not exist', async () => {
    const { code, stderr } = await run('uninstall', 'shop', '--config', 'nothing.json')
    expect(code).toBe(1)
    expect(stderr).toMatch(/nothing\.json does not exist/)
  })
})

describe('a folder', () => {
  it.each(['.', 'src', './src'])('%s is a target', async (target) => {
    expect(await run('call', target, 'price')).toMatchObject({ code: 0, stdout: '12\n' })
  })

  it('can be run', async () => {
    expect(await run('run', 'src')).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a file that cannot be loaded', () => {
  it.each([
    ['no-package.ts', "no-package.ts: Error: Cannot find package 'not-installed'\nRun npm install not-installed"],
    ['no-file.ts', "no-file.ts: Error: Cannot find module '"],
    ['wrong.ts', 'wrong.ts:3: TypeError: '],
  ])('%s is named in the message, and no file of mcpwire', async (file, message) => {
    const { code, stderr } = await run('list', file)
    expect(code).toBe(3)
    expect(stderr).toContain(`/${message}`)
    expect(stderr).not.toMatch(/dist\/|hooks\.js|imported from/)
  })
})

describe('mcpwire read', () => {
  it('writes bytes into a pipe as they are', async () => {
    const { code, stdout, stderr } = await run('read', '.', 'logo://png')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(Buffer.from(stdout).toString('latin1')).toMatch(/PNG\0\n$/)
    expect(stdout).not.toContain('[')
  })

  it('says where a file was saved', async () => {
    const { stderr } = await run('read', '.', 'logo://png', '--save', 'logo.png')
    expect(stderr).toContain(`Saved 6 bytes to ${join(project.folder, 'logo.png')}`)
    expect([...readFileSync(join(project.folder, 'logo.png'))]).toEqual([137, 80, 78, 71, 0, 10])
  })
})

describe('the status line of a call', () => {
  it('has the time that it takes, and rests while a question is open', async () => {
    const lines: (string | undefined)[] = []
    let isPaused = false
    const output = { ...recordOutput(), hasStatus: true, status: (line: string | undefined) => void lines.push(line) }
    const now = performance.now
    let passed = 0
    performance.now = () => now.call(performance) + passed
    try {
      const waiting = startWaiting(output, 'Calling price', () => isPaused)
      expect(lines.at(-1)).toMatch(/^\S Calling price$/)
      passed = 65_000
      waiting.show('1/2')
      expect(lines.at(-1)).toBe('1/2  1 min 5 s')
      isPaused = true
      waiting.show('2/2')
      expect(lines.at(-1)).toBe('1/2  1 min 5 s')
      waiting.stop()
      expect(lines.at(-1)).toBeUndefined()
    } finally {
      performance.now = now
    }
  })
})
