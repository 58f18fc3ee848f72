// Someone who has only the guide moves a server of the official SDK v1 over: its program, its commands in a shell, nothing else.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { describe, expect, it } from 'vitest'
import { comparable } from '../../cli/test/migrate/run-program.ts'
import { startLocalRegistry } from '../../cli/test/templates/local-registry.ts'

const root = new URL('../../', import.meta.url)
const require = createRequire(import.meta.url)
const pathTo = (path: string) => fileURLToPath(new URL(path, root))
const GUIDE = 'docs/migrate-from-typescript-sdk-v1.md'
const LIMIT_MS = 600_000

/** The commands of the guide, in order. */
function commandsOf(guide: string): string[] {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(pathTo(guide), 'utf8')) ?? []
  return block.trim().split('\n')
}

/** What the server of the guide offers and answers, to a client of its own era. */
async function answersOf(file: string): Promise<unknown> {
  const args = ['--import', pathToFileURL(require.resolve('tsx')).href, file]
  const client = await Client.connect(stdio({ command: process.execPath, args, stderr: 'ignore' }), { mode: 'legacy' })
  try {
    return comparable([
      withoutClosing((await client.listTools()).tools),
      await client.callTool('add_note', { id: '2', text: 'Call home' }),
      (await client.readResource('notes://2')).contents,
      (await client.listPrompts()).prompts,
      (await client.getPrompt('tidy', { style: 'short' })).messages,
    ])
  } finally {
    await client.close()
  }
}

/** The SDK adds it with zod 3, and the guide says that it goes with zod 4. */
function withoutClosing(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === 'additionalProperties' ? undefined : member)),
  )
}

describe.runIf(process.env['FULL_TESTS'])('a server of the SDK v1', () => {
  it('moves over by the commands of its guide, and then offers and answers the same', {
    timeout: LIMIT_MS,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-moved-'))
    const place = mkdtempSync(join(tmpdir(), 'mcpwire-packed-'))
    const registry = await startLocalRegistry(['.'], place)
    const env = {
      ...process.env,
      HOME: folder,
      npm_config_registry: registry.url,
      npm_config_cache: join(place, 'cache'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      CI: 'true',
      NO_COLOR: '1',
    }
    const sh = async (command: string) => {
      try {
        return (await promisify(execFile)('sh', ['-c', command], { cwd: folder, env })).stdout
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string }
        throw new Error(`${command} failed:\n${stdout}\n${stderr}`)
      }
    }
    try {
      const server = join(folder, 'server.ts')
      copyFileSync(pathTo('docs/examples/migrate/sdk-v1-server-before.ts'), server)
      const manifest = {
        name: 'old',
        type: 'module',
        dependencies: { '@modelcontextprotocol/sdk': '^1.20.0', zod: '^3.25.0' },
      }
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
      await sh('npm install')
      const before = await answersOf(server)
      const printed: string[] = []
      for (const command of commandsOf(GUIDE)) printed.push(await sh(command))
      expect(printed.at(-1)).toContain('add_note')
      const text = readFileSync(server, 'utf8')
      expect(text).toContain("from 'mcpwire'")
      expect(text).not.toContain('@modelcontextprotocol/sdk')
      expect(text).not.toContain('mcpwire-migrate:')
      expect(await answersOf(server)).toEqual(before)
      const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as typeof manifest
      expect(Object.keys(dependencies).sort()).toEqual(['mcpwire', 'zod'])
    } finally {
      await registry.close()
      for (const one of [folder, place]) rmSync(one, { recursive: true, force: true })
    }
  })

  it('has a guide whose commands are those of the test', () => {
    expect(commandsOf(GUIDE)).toHaveLength(6)
  })
})
