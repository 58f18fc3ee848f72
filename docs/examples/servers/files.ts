import { mkdir, writeFile } from 'node:fs/promises'
import { Client, MCPServer } from 'mcpwire'
import { directoryResources, fileResource } from 'mcpwire/node'

const folder = new URL('handbook/', import.meta.url)
await mkdir(folder, { recursive: true })
await writeFile(new URL('travel.md', folder), '# Travel')
await writeFile(new URL('logo.svg', folder), '<svg/>')

const server = new MCPServer('handbook')
server.resource(directoryResources(folder, { uri: 'handbook://' }))
const logo = new URL('logo.svg', folder)
server.resource(fileResource(logo, { uri: 'brand://logo' }))

const client = await Client.connect(server)
for await (const { uri, mimeType } of client.resources())
  console.log(uri, mimeType)
const travel = await client.readResource('handbook://travel.md')
console.log(travel.contents)
await client.close()
