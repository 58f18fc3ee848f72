// `node --import mcpwire/stdio-guard`: what is written while modules load, before any server could guard its stdout.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = `
  console.log('noise of a dependency')
  const { MCPServer } = await import('mcpwire')
  const server = new MCPServer('guarded')
  server.tool('greet', {}, () => 'hello')
  await server.run()
`
const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'greet',
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

/** `shell`: around the program, which it has as "$@". */
function serve(flags: string[], { code = program, shell }: { code?: string; shell?: string } = {}) {
  const command = [process.execPath, ...flags, '--input-type=module', '--eval', code]
  const [file = '', ...args] = shell === undefined ? command : ['/bin/sh', '-c', shell, 'sh', ...command]
  const { stdout, stderr, status } = spawnSync(file, args, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    input: `${JSON.stringify(call)}\n`,
    encoding: 'utf8',
    timeout: 150_000,
  })
  return { lines: stdout.trimEnd().split('\n'), stderr, status }
}

it('F035 keeps what is written while modules load away from stdout', () => {
  const { lines, stderr, status } = serve(['--import', 'mcpwire/stdio-guard'])
  expect(status).toBe(0)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 1, result: { content: [{ text: 'hello' }] } }])
  expect(stderr).toContain('noise of a dependency')
  expect(stderr).toContain('stdout belongs to the protocol')
})

it('without it that is what a client reads first', () => {
  const { lines } = serve([])
  expect(lines).toHaveLength(2)
  expect(lines[0]).toBe('noise of a dependency')
})

it('F036 on a pipe it keeps descriptors away too, from children and from whoever writes past process.stdout', () => {
  const noise = `
    import { execFileSync } from 'node:child_process'
    import { writeSync } from 'node:fs'
    writeSync(1, 'noise by a descriptor\\n')
    execFileSync('/bin/echo', ['noise by a child'], { stdio: 'inherit' })
  `
  const code = noise + program
  const piped = { code, shell: '"$@" | cat' }
  const { lines, stderr } = serve(['--import', 'mcpwire/stdio-guard'], piped)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 1, result: { content: [{ text: 'hello' }] } }])
  expect(stderr).toContain('noise of a dependency')
  expect(serve([], piped).lines).toHaveLength(4)
})
