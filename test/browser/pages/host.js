// The page of a host: calls a tool, shows its view in a frame of another origin, and writes down what the view asks for.
import { Client } from 'mcpwire/client'
import { AppHost, apps, mountView, readView, windowChannel } from 'mcpwire/extensions/apps'

const { sandbox, tool: toolName } = Object.fromEntries(new URLSearchParams(location.search))
const log = []
window.log = log
localStorage.setItem('secret', 'of the host')

const client = await Client.connect(new URL('/mcp', location.href), { extensions: [apps()] })
const tools = await Array.fromAsync(client.tools())
const tool = tools.find(({ name }) => name === toolName)
const view = await readView(client, tool)

const frame = document.createElement('iframe')
document.body.append(frame)

try {
  mountView(frame, { view, sandboxUrl: new URL('/sandbox', location.href) })
} catch (error) {
  log.push(['own origin', error.message])
}
try {
  new AppHost(windowChannel(frame.contentWindow, { origin: location.origin }))
} catch (error) {
  log.push(['own origin', error.message])
}

const host = mountView(frame, {
  view,
  client,
  sandboxUrl: sandbox,
  context: { theme: 'light', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] },
  onOpenLink: (url) => void log.push(['link', url]),
  onMessage: (message) => void log.push(['message', message]),
  onModelContext: (context) => void log.push(['context', context]),
  onDisplayMode: (mode) => mode,
  onToolCall: (call) => void log.push(['call', call.tool.name]),
  onSize: ({ height }) => {
    frame.style.height = `${Math.min(height, 500)}px`
  },
})
window.host = host
const input = { city: 'Paris' }
host.sendInput(input)
host.sendResult(await client.callTool(toolName, input))
await host.ready
document.querySelector('#state').textContent = `Shown: ${host.appInfo.name}`
