import { Client, MCPServer } from 'mcpwire'

const repositories: Record<string, string[]> = {
  ada: ['engine', 'notes'],
  grace: ['compiler'],
}

const server = new MCPServer('code')
server.resource(
  'code://{owner}/{repository}',
  {
    complete: {
      owner: (typed) =>
        Object.keys(repositories).filter((name) =>
          name.startsWith(typed),
        ),
      repository: (_typed, request) =>
        repositories[request.arguments['owner'] ?? ''] ?? [],
    },
  },
  ({ owner, repository }) => `${repository} by ${owner}`,
)

const client = await Client.connect(server)
const template = {
  type: 'ref/resource',
  uri: 'code://{owner}/{repository}',
} as const
const owners = await client.complete(template, {
  name: 'owner',
  value: 'a',
})
console.log(owners.completion.values)
const repository = { name: 'repository', value: '' }
const filledIn = { owner: 'ada' }
const found = await client.complete(template, repository, filledIn)
console.log(found.completion.values)
await client.close()
