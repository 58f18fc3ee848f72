// The page of a host that is written as the documentation says.
import { Client } from 'mcpwire/client'
import { apps } from 'mcpwire/extensions/apps'
import { hide, show } from '../../../docs/examples/app-page.ts'

const { sandbox, tool } = Object.fromEntries(new URLSearchParams(location.search))
const client = await Client.connect(new URL('/mcp', location.href), { extensions: [apps()] })
const { tools } = await client.listTools()
const frame = document.createElement('iframe')
document.body.append(frame)
const shown = tools.find(({ name }) => name === tool)
window.confirm = () => true
const host = await show(client, shown, 'Paris', frame, sandbox)
await host.ready
window.hide = () => hide(host, frame)
