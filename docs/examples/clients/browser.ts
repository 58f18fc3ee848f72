import { Client } from 'mcpwire/client'

const url = new URLSearchParams(location.search).get('server')
const client = await Client.connect(url ?? '/mcp', {
  onLog: ({ data }) => console.log('server:', data),
})
const list = document.createElement('ul')
for await (const tool of client.tools()) {
  const item = list.appendChild(document.createElement('li'))
  // textContent, never innerHTML: the text comes from the server.
  item.textContent = tool.title ?? tool.name
}
document.body.append(list)
