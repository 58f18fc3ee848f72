// A server from an OpenAPI document: three lines, and an API on this machine that it calls.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAPIServer } from 'mcpwire/openapi'

const pets = new Map([[1, { id: 1, name: 'Rex', kind: 'dog' }]])

const api = createServer((request, response) => {
  const [, id] = /^\/pets\/(\d+)$/.exec(request.url ?? '') ?? []
  const found = id === undefined ? [...pets.values()] : pets.get(Number(id))
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(found ?? { error: 'No such pet' }))
})
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
// The API ends with the process; it does not keep it alive.
api.unref()

const document = {
  openapi: '3.1.0',
  info: { title: 'openapi', version: '1.0.0' },
  servers: [{ url: `http://127.0.0.1:${(api.address() as AddressInfo).port}` }],
  paths: {
    '/pets': { get: { operationId: 'list_pets', summary: 'Lists all pets.' } },
    '/pets/{id}': {
      get: {
        operationId: 'get_pet',
        summary: 'Gets one pet.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
    },
  },
}

const server = await openAPIServer(document)
await server.run()
