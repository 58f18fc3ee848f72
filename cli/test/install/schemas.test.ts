// The JSON Schemas that the package ships for config files agree with the code that reads the files, and with the files that we write.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileSchema } from 'mcpwire/schema'
import { describe, expect, it } from 'vitest'
import { checkServerEntry } from '../../install/server-entry.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const readJSON = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const SCHEMAS = { mcpServers: 'schemas/mcp.json', servers: 'schemas/vscode-mcp.json' } as const

const ENTRIES: readonly (readonly [name: string, entry: unknown, isGood: boolean])[] = [
  ['a command', { command: 'node' }, true],
  ['a command with all members', { type: 'stdio', command: 'a', args: ['b'], env: { C: 'd' }, cwd: '/e' }, true],
  ['members of a host', { command: 'node', autoApprove: ['x'], timeout: 5 }, true],
  ['a URL', { url: 'https://example.com/mcp' }, true],
  ['a URL with headers', { type: 'http', url: 'http://localhost:3000/mcp', headers: { A: 'b' } }, true],
  ['a URL of HTTP+SSE', { type: 'sse', url: 'https://example.com/sse' }, true],
  ['neither', {}, false],
  ['both', { command: 'node', url: 'https://example.com/mcp' }, false],
  ['no object', 'node', false],
  ['a command that is empty', { command: '' }, false],
  ['arguments in one text', { command: 'node', args: 'server.js' }, false],
  ['an argument that is a number', { command: 'node', args: [1] }, false],
  ['a variable that is a number', { command: 'node', env: { PORT: 3000 } }, false],
  ['a folder that is a number', { command: 'node', cwd: 1 }, false],
  ['a command with the type http', { command: 'node', type: 'http' }, false],
  ['a URL with the type stdio', { url: 'https://example.com/mcp', type: 'stdio' }, false],
  ['a URL of files', { url: 'file:///tmp' }, false],
  ['a header that is a number', { url: 'https://example.com/mcp', headers: { A: 1 } }, false],
]

function isAccepted(entry: unknown): boolean {
  try {
    checkServerEntry(entry, { file: 'mcp.json', server: 's' })
    return true
  } catch {
    return false
  }
}

describe.each(Object.entries(SCHEMAS))('the schema of files with %s', (key, path) => {
  const { check } = compileSchema(readJSON(path))

  it.each(ENTRIES)('decides as the command line does: %s', (_name, entry, isGood) => {
    expect(check({ [key]: { s: entry } })).toBe(isGood)
    expect(isAccepted(entry)).toBe(isGood)
  })

  it('requires the list, and knows $schema', () => {
    expect(check({})).toBe(false)
    expect(check({ [key]: {} })).toBe(true)
    expect(check({ $schema: './schema.json', [key]: {} })).toBe(true)
  })

  it('describes each member', () => {
    const { command, remote } = readJSON(path).definitions
    for (const { properties } of [command, remote]) {
      for (const member of Object.values(properties) as { description?: string }[]) {
        expect(member.description).toMatch(/\.$/)
      }
    }
  })

  it('is exported by the package', () => {
    const { exports, files } = readJSON('package.json')
    expect(exports[`./${path}`]).toBe(`./${path}`)
    expect(files).toContain('schemas')
  })
})

describe('the config files of the templates', () => {
  const found = readdirSync(join(root, 'cli/templates'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('mcp.json'))
    .map((file) => `cli/templates/${file}`)

  it.each(found)('%s names its schema and fits it', (file) => {
    const config = readJSON(file)
    const [, name] = /node_modules\/mcpwire\/(schemas\/[\w-]+\.json)$/.exec(config.$schema) ?? []
    expect(name).toBe('servers' in config ? SCHEMAS.servers : SCHEMAS.mcpServers)
    expect(compileSchema(readJSON(name as string)).check(config)).toBe(true)
  })

  it('are there', () => {
    expect(found.length).toBeGreaterThanOrEqual(4)
  })
})
