// The route handler of docs/run/frameworks.md, built and served by the real Next.js, with the packed package.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'mcpwire'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)
const LIMIT_MS = 900_000

/** Not dependencies: Next.js brings native programs for each platform. */
const PACKAGES = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']
const COMPILER = ['typescript@5.9.3', '@types/node@20.19.43', '@types/react@19.3.0']

const PAGE = `import type { ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>
}
`

/** A new app with the route of the page. */
async function createApp(folder: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  })
  const listing = JSON.parse(stdout) as Record<string, { filename: string }>
  const [{ filename }] = Object.values(listing) as [{ filename: string }]
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  mkdirSync(join(folder, 'app/mcp'), { recursive: true })
  writeFileSync(join(folder, 'app/layout.tsx'), PAGE)
  writeFileSync(join(folder, 'app/page.tsx'), 'export default function Page() {\n  return <p>Home</p>\n}\n')
  const snippet = join(root, 'docs/examples/run/next.ts')
  expect(readFileSync(snippet, 'utf8')).toMatch(/^\/\/ app\/mcp\/route\.ts\n/)
  copyFileSync(snippet, join(folder, 'app/mcp/route.ts'))
  const flags = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', [...flags, ...PACKAGES, ...COMPILER, join(folder, filename)], { cwd: folder })
}

describe.runIf(process.env['FULL_TESTS'])('a route handler in Next.js', () => {
  it('is built, checked and served, and clients of both eras call it', { timeout: LIMIT_MS }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-next-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    await createApp(folder)
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
    const next = join(folder, 'node_modules/next/dist/bin/next')
    const { stdout } = await run(process.execPath, [next, 'build'], { cwd: folder, env })
    expect(stdout).toContain('/mcp')

    const port = await freePort()
    const server = spawn(process.execPath, [next, 'start', '-p', String(port)], { cwd: folder, env, stdio: 'pipe' })
    onTestFinished(async () => {
      if (server.kill()) await once(server, 'exit')
    })
    for await (const text of server.stdout) if (String(text).includes('Ready')) break
    const answers: unknown[] = []
    for (const mode of ['legacy', 'modern'] as const) {
      const client = await Client.connect(`http://localhost:${port}/mcp`, { mode })
      const [content] = (await client.callTool('now')).content as { text: string }[]
      answers.push([client.protocolVersion, Number.isNaN(Date.parse(content?.text ?? ''))])
      await client.close()
    }
    expect(answers).toEqual([
      ['2025-11-25', false],
      ['2026-07-28', false],
    ])
  })
})
