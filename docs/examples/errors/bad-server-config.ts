import { ClientSessionGroup } from 'mcpwire/client'

await ClientSessionGroup.open({ mcpServers: { weather: { args: ['server.js'] } } })
