import { MCPServer } from 'mcpwire'
import { skills } from 'mcpwire/extensions/skills'
import { skillFolder } from 'mcpwire/node'

const server = new MCPServer('billing', { extensions: [skills()] })

server.skill(skillFolder(new URL('skills/refunds', import.meta.url)))

server.skill('open-orders', {
  description:
    'Orders that wait for an answer. Use it before you promise a date.',
  body: () => 'Order 17 waits since Monday.',
})

await server.run({ transport: 'http', port: 3000 })
