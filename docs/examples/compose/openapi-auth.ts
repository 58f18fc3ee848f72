import { Client } from 'mcpwire'
import { openAPIServer } from 'mcpwire/openapi'

const document = `
openapi: 3.1.0
info: { title: Files, version: 1.0.0 }
servers: [{ url: https://api.example.com }]
security: [{ token: [] }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
paths:
  /files: { get: { operationId: list } }
  /upload: { post: { operationId: upload, servers: [{ url: https://uploads.example.com }] } }
  /statistics: { post: { operationId: count, servers: [{ url: https://elsewhere.example }] } }
`

// In place of the API, for this page.
const fetch = async (url: string | URL | Request, init?: RequestInit) => {
  const token = new Headers(init?.headers).get('authorization')
  return Response.json({ asked: String(url), with: token })
}

const server = await openAPIServer(document, {
  auth: { token: () => process.env['FILES_TOKEN'] ?? 'only-for-this-page' },
  authOrigins: ['https://uploads.example.com'],
  fetch,
})
const client = await Client.connect(server)
for (const name of ['list', 'upload', 'count']) {
  const { content } = await client.callTool(name)
  for (const block of content) if (block.type === 'text') console.log(block.text)
}
await client.close()
