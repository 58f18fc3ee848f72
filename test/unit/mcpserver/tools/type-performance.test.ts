// Five hundred tools must not make the compiler slow for the people who write them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../..')
const folder = join(root, 'build', `type-performance-${process.pid}`)

const IMPORTS = [
  "import { z } from 'zod'",
  "import { Client } from '../../src/client/client.ts'",
  "import { MCPServer } from '../../src/mcpserver/mcpserver.ts'",
  "import { tool } from '../../src/mcpserver/tools/tool.ts'",
]
const names = Array.from({ length: 500 }, (_, n) => `t${n}`)

/** Each has properties of its own, so that nothing is answered from a cache. */
const schemas = names.flatMap((name) => [
  `const ${name}In = z.object({ ${name}: z.number(), tags: z.array(z.string()).optional() })`,
  `const ${name}Out = z.object({ sum: z.number(), ${name}: z.string() })`,
  `type ${name}Types = [z.infer<typeof ${name}In>, z.infer<typeof ${name}Out>]`,
])
const tools = names.map(
  (name) =>
    `const ${name} = tool('${name}', { input: ${name}In, output: ${name}Out }, ` +
    `({ ${name} }) => ({ sum: ${name}, ${name}: '' }))`,
)
const client = [
  `const server = new MCPServer('many', { tools: [${names.join(', ')}] })`,
  'const client = await Client.connect(server)',
  ...names
    .slice(0, 20)
    .map((name) => `(await client.callTool('${name}', { ${name}: 1 })).structuredContent?.sum.toFixed()`),
]

interface Cost {
  readonly cpuMilliseconds: number
  readonly instantiations: number
}

/** What it costs to check a program on one thread. CPU time, because the machine may be busy with other things. */
function compile(name: string, ...parts: readonly string[][]): Cost {
  const unused = { noUnusedLocals: false }
  const config = { extends: '../../tsconfig.test.json', include: [], files: [`${name}.ts`], compilerOptions: unused }
  writeFileSync(join(folder, `${name}.ts`), [...IMPORTS, ...parts.flat(), 'export {}'].join(';\n'))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(config))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const command = [
    process.execPath,
    compiler,
    '-p',
    join(folder, `${name}.json`),
    '--extendedDiagnostics --singleThreaded',
  ]
  // `times` of POSIX shells ends with the user and system time of all children.
  const output = execFileSync('sh', ['-c', `${command.join(' ')} && times`], { encoding: 'utf8' })
  const instantiations = /Instantiations:\s+(\d+)/.exec(output)?.[1]
  return { cpuMilliseconds: readTimes(output.trim().split('\n').at(-1)), instantiations: Number(instantiations) }
}

/** The sum of times such as `0m1.23s 0m0.45s`. */
function readTimes(line = ''): number {
  const times = Array.from(
    line.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  )
  return times.length === 2 ? times.reduce((sum, time) => sum + time) * 1000 : Number.NaN
}

beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The goal, beside what the schemas cost by themselves. */
const GOAL_MS = 2_000
const ATTEMPTS = 4

it('makes a typed client of 500 tools in less than 2 s more than their schemas take', { timeout: 240_000 }, () => {
  let extraMs = Number.POSITIVE_INFINITY
  // Other programs can only make it look slower, so the fastest of a few attempts tells the most.
  for (let attempt = 0; attempt < ATTEMPTS && extraMs >= GOAL_MS; attempt++) {
    const alone = compile('schemas', schemas)
    const typed = compile('tools', schemas, tools, client)
    extraMs = Math.min(extraMs, typed.cpuMilliseconds - alone.cpuMilliseconds)
    // The same on every machine, so that it tells of a change before anybody has to wait for it.
    expect((typed.instantiations - alone.instantiations) / names.length).toBeLessThan(1_300)
  }
  expect(extraMs).toBeLessThan(GOAL_MS)
})
