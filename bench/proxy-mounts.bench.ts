// The cost of mounting and of transforms: a mounted tool against the same tool of the server itself, depth, number, layers, lists.
import { Client } from '../src/client/client.ts'
import { changeArguments, describe, hide, namespace, rename, transform } from '../src/exports/transforms.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { type Contender, goal, measure, report } from './measure.ts'

const input = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

function calculator(toolCount = 10): MCPServer {
  const server = new MCPServer('calculator')
  server.tool('add', { input }, ({ a, b }) => a + b)
  for (let n = 1; n < toolCount; n++) server.tool(`tool_${n}`, { input }, () => n)
  return server
}

function mounting(count: number): MCPServer {
  const server = new MCPServer('main')
  for (let n = 0; n < count; n++) server.mount(calculator(), { as: `m${n}` })
  return server
}

function nested(depth: number): MCPServer {
  let inner = calculator()
  for (let n = 0; n < depth; n++) {
    const outer = new MCPServer(`level ${n}`)
    outer.mount(inner, { as: 'x' })
    inner = outer
  }
  return inner
}

function transformed(): MCPServer {
  return calculator().transform(
    describe({ add: { title: 'Add' } }),
    changeArguments('add', { b: { description: 'The second number' } }),
    hide(['tool_3']),
    transform({ tool: (tool) => tool }),
    rename({ tool_4: 'four' }),
    namespace('x'),
  )
}

const calling = async (name: string, server: MCPServer, tool: string): Promise<Contender> => {
  const client = await Client.connect(server)
  await client.listTools()
  return { name, run: () => client.callTool(tool, { a: 1, b: 2 }) }
}

const WARM = { warmUpMs: 400 }
const calls = await measure(
  [
    await calling('own tool', calculator(), 'add'),
    await calling('mounted tool', mounting(1), 'm0_add'),
    await calling('mounted tool, 100 mounts', mounting(100), 'm50_add'),
    await calling('mounted 5 deep', nested(5), 'x_x_x_x_x_add'),
    await calling('6 transforms', transformed(), 'x_add'),
  ],
  WARM,
)
report('tools/call in process', calls)
const [own, mounted, many, deep, layers] = calls.map(({ nanoseconds }) => nanoseconds) as [
  number,
  number,
  number,
  number,
  number,
]
goal('mounted / own', mounted / own, 1.1)
goal('100 mounts / 1 mount', many / mounted, 1.05)
goal('5 deep / own', deep / own, 1.25)
goal('transforms / own', layers / own, 1.05)

const listing = async (name: string, server: MCPServer): Promise<Contender> => {
  const client = await Client.connect(server)
  await client.listTools()
  return { name, run: () => client.listTools() }
}
const twenty = new MCPServer('main')
for (let n = 0; n < 20; n++) twenty.mount(calculator(50), { as: `m${n}` })
const lists = await measure(
  [await listing('1,000 own tools', calculator(1_000)), await listing('20 mounts of 50 tools', twenty)],
  WARM,
)
report('tools/list in process, warm', lists)
goal('20 mounts / own', lists[1]!.nanoseconds / lists[0]!.nanoseconds, 1.1)
