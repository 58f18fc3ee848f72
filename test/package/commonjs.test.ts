// A project as `npm init -y` makes it, run by tsx: the package is turned into CommonJS there, its parts that are loaded later too.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { startNode } from '../support/child.ts'

const root = new URL('../../', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'mcpwire-commonjs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Calls, a schema of each kind, a question, a task and a mounted server, in process and over HTTP, in both eras. */
const PROGRAM = `
import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { createGateway } from 'mcpwire/proxy'

async function main() {
  const child = new MCPServer('child')
  child.tool('echo', { input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } }, ({ a }) => String(a))
  const server = new MCPServer('server', { extensions: [tasks()] })
  server.mount(child, { as: 'child' })
  server.tool('long', { task: true }, async () => 'done')
  server.tool('ask', async (_args, ctx) => (await ctx.elicit('Sure?', { type: 'object', properties: {} })).action)
  const serving = await server.run({ transport: 'http', port: 0 })
  const gateway = createGateway({ up: serving.url })
  for (const [prefix, target] of [['', server], ['', serving.url], ['up_', gateway]]) {
    for (const mode of ['legacy', 'modern']) {
      const client = await Client.connect(target, { mode, extensions: [tasks()], onElicitation: () => ({ action: 'decline' }) })
      const calls = [['child_echo', { a: 1 }], ['child_echo', { a: 'x' }], ['long', {}], ['ask', {}]]
      const seen = []
      for (const [name, args] of calls) seen.push((await client.callTool(prefix + name, args)).content[0].text.split('\\n')[0])
      console.log(seen.join(' | '))
      await client.close()
    }
  }
  await gateway.close()
  await serving.close()
}
main()
`

it('runs servers, clients and gateways under tsx in a CommonJS project, where nothing of the package is loaded twice', async () => {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0' }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(fileURLToPath(root), join(folder, 'node_modules', 'mcpwire'))
  writeFileSync(join(folder, 'main.ts'), PROGRAM)
  const tsx = fileURLToPath(new URL('node_modules/tsx/dist/cli.mjs', root))
  const child = startNode([tsx, join(folder, 'main.ts')])
  const [code] = await child.ended
  const line = (tool: string) => `1 | Invalid arguments for tool "${tool}": | done | decline`
  const lines = child.output.stdout.trim().split('\n')
  expect({ code, lines, stderr: code === 0 ? '' : child.output.stderr }).toEqual({
    code: 0,
    lines: [...Array(4).fill(line('child_echo')), ...Array(2).fill(line('up_child_echo'))],
    stderr: '',
  })
})
