import { Client } from 'mcpwire'
import { openAPIServer } from 'mcpwire/openapi'

const document = `
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
servers: [{ url: https://pets.example.com/v1 }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Gets a pet.
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - name: fields
          in: query
          explode: false
          schema: { type: array, items: { type: string } }
`

// In place of the API, for this page: it answers with the address that it is asked for.
const fetch = async (url: string | URL | Request) => Response.json({ asked: String(url) })

const server = await openAPIServer(document, { fetch })
const client = await Client.connect(server)
const { tools } = await client.listTools()
console.log(tools[0]?.name, tools[0]?.description, tools[0]?.annotations)

const result = await client.callTool('getPet', { id: 7, fields: ['name', 'age'] })
console.log(result.structuredContent)

const refused = await client.callTool('getPet', { id: '../admin' })
console.log(refused.isError)
await client.close()
