import { Client, MCPServer } from 'mcpwire'
import { expandUriTemplate } from 'mcpwire/types'

const server = new MCPServer('library')
server.resource(
  'books://{author}/{title}',
  ({ author, title }) => `${title}, by ${author}`,
)

await using client = await Client.connect(server)
for await (const { uriTemplate } of client.resourceTemplates()) {
  const uri = expandUriTemplate(uriTemplate, {
    author: 'James Joyce',
    title: 'Ulysses',
  })
  const { contents } = await client.readResource(uri)
  console.log(uri, contents)
}
