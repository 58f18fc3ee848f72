// The server under measurement: the built package, as a user would write it.
import { MCPServer } from 'mcpwire'

const server = new MCPServer('bench')
const input = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}
const large = 'x'.repeat(10_000_000)

server.tool('add', { input }, ({ a, b }) => String(a + b))
server.tool('large', {}, () => large)
server.tool('progress', {}, (_args, ctx) => {
  for (let done = 1; done <= 10_000; done++) void ctx.reportProgress(done, 10_000)
  return 'done'
})
server.tool('usage', {}, () => {
  const { user, system } = process.cpuUsage()
  return String(user + system)
})
server.tool('pid', {}, () => String(process.pid))
server.tool('hang', {}, () => new Promise(() => {}))

await server.run()
