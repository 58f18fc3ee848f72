import { Client, MCPServer } from 'mcpwire'
import type { MCPServerExtension } from 'mcpwire/server'

interface Price {
  credits: number
}

declare module 'mcpwire/server' {
  interface ToolExtensionOptions {
    /** What a call costs. Needs `prices` among the extensions of the server. */
    price?: Price
  }
}

let spent = 0

const prices: MCPServerExtension = {
  identifier: 'com.example/prices',
  toolOptions: {
    price: ({ credits }, { owner }) => {
      if (!(credits > 0))
        throw new RangeError(`price.credits of ${owner} is ${credits}. Use a number above 0.`)
      return {
        listed: (tool) => ({ ...tool, _meta: { ...tool._meta, 'com.example/credits': credits } }),
        around: (_request, _params, next) => {
          spent += credits
          return next()
        },
      }
    },
  },
}

const server = new MCPServer('shop', { extensions: [prices] })
server.tool('translate', { price: { credits: 3 } }, () => 'Guten Tag')

const client = await Client.connect(server)
const { tools } = await client.listTools()
console.log(tools[0]?._meta)
await client.callTool('translate')
console.log(spent)
await client.close()
