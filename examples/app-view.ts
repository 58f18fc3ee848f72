// A tool with a view: hosts that show apps get a chart, all others a text. The inspector shows it under Apps.
// npx mcpwire dev examples/app-view.ts
import { MCPServer } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { z } from 'zod'

const server = new MCPServer('sales', { version: '1.0.0', extensions: [apps()] })

const chart = server.app('ui://sales/chart', {
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sales</title>
<h1>Sales</h1><ul id="bars"></ul>
<script>
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  addEventListener('message', ({ data, source }) => {
    if (source !== parent) return
    // The answer to ui/initialize: from now on the host sends what the tool returned.
    if (data.id === 1) send({ method: 'ui/notifications/initialized', params: {} })
    if (data.method !== 'ui/notifications/tool-result') return
    const bars = data.params.structuredContent.months.map(({ month, sold }) => {
      const bar = document.createElement('li')
      bar.textContent = month + ' ' + '█'.repeat(sold)
      return bar
    })
    document.getElementById('bars').replaceChildren(...bars)
  })
  const appInfo = { name: 'sales', version: '1.0.0' }
  send({ id: 1, method: 'ui/initialize', params: { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' } })
</script></html>`,
})

const months = [
  { month: 'May', sold: 3 },
  { month: 'June', sold: 5 },
]
const output = z.object({ months: z.array(z.object({ month: z.string(), sold: z.number() })) })
server.tool('sales', { description: 'What was sold in each month.', output, ui: chart }, () => ({ months }))

await server.run()
