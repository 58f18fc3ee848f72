// A mistake in a definition gets one short error, at the place of the mistake.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../..')
const folder = join(root, 'build', `type-errors-${process.pid}`)

const HEAD = [
  "import { z } from 'zod'",
  "import { MCPServer } from '../../src/mcpserver/mcpserver.ts'",
  "import { tool } from '../../src/mcpserver/tools/tool.ts'",
  "const server = new MCPServer('s')",
  'const input = z.object({ on: z.boolean() })',
  "const output = z.object({ kind: z.enum(['a', 'b']), list: z.array(z.enum(['x', 'y'])) })",
  'declare const env: { PORT: string | undefined }',
  "import { Client } from '../../src/client/client.ts'",
  "import type { ClientSession } from '../../src/client/session/session.ts'",
  "const add = tool('add', { input: z.object({ a: z.number() }) }, ({ a }) => a)",
  "const many = new MCPServer('s', { tools: [add] })",
  'declare const typed: Client<typeof many>',
  'declare const session: ClientSession',
]

/** A mistake, the text where its error begins, and what the error says. */
type Case = readonly [mistake: string, place: string, message: RegExp]

const CASES: readonly Case[] = [
  ["server.tool('t', { output }, () => ({ kind: 'c', list: [] }))", 'kind:', /'"c"' .*'"a" \| "b"'/],
  ["server.tool('t', { input, output }, ({ on }) => ({ kind: on ? 'a' : 'c', list: [] }))", 'kind:', /"c"/],
  ["server.tool('t', { output }, () => ({ kind: 'a', list: ['z'] }))", "'z'", /'"z"' .*'"x" \| "y"'/],
  ["server.tool('t', { output }, async () => ({ kind: 'c', list: [] }))", '({ kind', /kind: "a" \| "b"/],
  ["server.tool('t', { output }, () => ({ kind: 'a' }))", '({ kind', /kind: "a" \| "b"; list/],
  ["server.tool('t', { output: z.enum(['a', 'b']) }, () => 'c')", "'c'", /'"c"' .*"a" \| "b"/],
  [
    "server.tool('t', { output }, () => ({ content: [{ type: 'txt', text: '' }] }))",
    "type: 'txt'",
    /Did you mean '"text"'/,
  ],
  ["tool('t', { output }, () => ({ kind: 'c', list: [] }))", 'kind:', /'"c"' .*'"a" \| "b"'/],
  ["void server.run({ transport: 'http', port: env.PORT })", 'port:', /'string \| undefined' .*'number/],
  ["void typed.callTool('add')", 'callTool', /Expected 2-3 arguments, but got 1/],
  ["void typed.callTool('add', { a: '1' })", 'a:', /'string' is not assignable to type 'number'/],
  ["void session.sendRequest('tools/call', { nam: 'add' })", 'nam:', /'nam' does not exist/],
  ["void Client.connect({ command: 'node', arg: [] })", 'arg:', /'arg' does not exist/],
  ["void server.run({ transport: 'htp' })", 'transport:', /Did you mean '"http"'/],
  [
    "void server.run({ transport: 'http', prot: 3000 })",
    'prot:',
    /'prot' does not exist in type 'RunOptionsOf<"http">'/,
  ],
]

/** The errors of the compiler, each with the reasons that it gives below the first line. */
let errors: { line: number; column: number; message: string }[] = []

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mistakes.ts'), [...HEAD, ...CASES.map(([mistake]) => mistake), 'export {}'].join('\n'))
  const config = { extends: '../../tsconfig.test.json', include: [], files: ['mistakes.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  errors = Array.from(
    stdout.matchAll(/^.*mistakes\.ts\((\d+),(\d+)\): (.*(?:\n +.*)*)$/gm),
    ([, line, column, message = '']) => ({
      line: Number(line) - 1 - HEAD.length,
      column: Number(column) - 1,
      message,
    }),
  )
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(CASES.map((each, index) => [...each, index] as const))(
  'gets one short error at the right place: %s',
  (mistake, place, message, index) => {
    const found = errors.filter(({ line }) => line === index)
    expect(found).toHaveLength(1)
    expect(found[0]?.message).toMatch(message)
    expect(found[0]?.message.split('\n')[0]?.length).toBeLessThan(220)
    expect(mistake.slice(found[0]?.column)).toSatisfy((text: string) => text.startsWith(place))
  },
)
