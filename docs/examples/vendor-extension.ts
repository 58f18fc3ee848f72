import { Client, MCPServer } from 'mcpwire'
import type { ClientExtension } from 'mcpwire/client'
import type { MCPServerExtension } from 'mcpwire/server'

const states = new Map<string, string>()

// The server answers every call with a ticket. The result comes later.
const serverTickets: MCPServerExtension = {
  identifier: 'com.example/tickets',
  resultTypes: ['com.example/ticket'],
  interceptToolCall: () => {
    states.set('T1', 'open')
    return { resultType: 'com.example/ticket', ticket: 'T1' }
  },
  requests: {
    'com.example/ticket/get': {
      nameParam: 'ticket',
      handle: (_ctx, { ticket }) => ({ state: states.get(String(ticket)) ?? 'unknown' }),
    },
  },
  watches: {
    tickets: {
      grant: (_ctx, tickets) => tickets.filter((ticket) => states.has(ticket)),
      describe: (ticket) => ({
        method: 'com.example/ticket',
        params: { ticket, state: states.get(ticket) ?? null },
      }),
    },
  },
}

const clientTickets: ClientExtension = {
  identifier: 'com.example/tickets',
  requests: {
    'com.example/ticket/get': {
      nameParam: 'ticket',
      isValid: ({ state }) => typeof state === 'string',
    },
  },
  filters: { tickets: { notification: 'com.example/ticket', keyParam: 'ticket' } },
  claims: [
    {
      resultType: 'com.example/ticket',
      async resolve({ ticket }, { session, options }) {
        const params = { ticket: String(ticket) }
        const { state } = await session.sendRequest('com.example/ticket/get', params, options)
        return { content: [{ type: 'text', text: `The order is ${state}.` }] }
      },
    },
  ],
}

const server = new MCPServer('shop', { extensions: [serverTickets] })
server.tool('order', () => 'never called')

const client = await Client.connect(server, { extensions: [clientTickets] })
const { content } = await client.callTool('order')
console.log(content)

const subscription = await client.listen({ tickets: ['T1', 'T2'] })
console.log(subscription.honored.tickets, subscription.refused.tickets)
states.set('T1', 'sent')
await server.server.announce({ type: 'extensionChanged', filter: 'tickets', key: 'T1' })
for await (const event of subscription) {
  if (event.type === 'extension') console.log(event.key, event.params?.['state'])
  break
}
await client.close()
