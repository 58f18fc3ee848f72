// What the HTTP servers of the official SDKs share: sessions, and a port of their own.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

/** Answers requests of Streamable HTTP: each session has a transport and a server of its own. */
export function serveSessions(Transport, createMcpServer, enableJsonResponse) {
  const sessions = new Map()
  return async (request, response, parsed) => {
    const id = request.headers['mcp-session-id']
    if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end()
    let transport = sessions.get(id)
    if (transport === undefined) {
      transport = new Transport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse,
        onsessioninitialized: (created) => sessions.set(created, transport),
      })
      await createMcpServer().connect(transport)
    }
    await transport.handleRequest(request, response, parsed)
  }
}

/** Listens, and prints the address. */
export function listen(serve, path = 'mcp') {
  const http = createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error)
      if (!response.headersSent) response.writeHead(500).end()
    })
  })
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/${path}`))
}
