import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'weather', version: '1.0.0' })

server.addTool({
  name: 'today',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }, { reportProgress }) => {
    if (city === 'Atlantis')
      throw new UserError(`No such city: ${city}`)
    await reportProgress({ progress: 1, total: 1 })
    return `Sunny in ${city}`
  },
})

server.addResourceTemplate({
  uriTemplate: 'cities://{name}',
  name: 'City',
  mimeType: 'text/plain',
  arguments: [{ name: 'name', required: true }],
  load: async ({ name }) => ({ text: `${name} is a city.` }),
})

await server.start({ transportType: 'stdio' })
