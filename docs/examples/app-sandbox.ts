import { createServer } from 'node:http'
import { sandboxPage } from 'mcpwire/extensions/apps'

const hostOrigin =
  process.env['HOST_ORIGIN'] ?? 'https://chat.example.com'

export const listening = createServer((request, response) => {
  const { status, headers, html } = sandboxPage(request.url ?? '/', {
    hostOrigin,
  })
  response.writeHead(status, headers).end(html)
}).listen(Number(process.env['PORT'] ?? 3001), '127.0.0.1')
