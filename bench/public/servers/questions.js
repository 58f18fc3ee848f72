// A server over stdio whose tool asks its user as often as it is told.
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const form = z.object({ name: z.string() })

export const contenders = {
  mcpwire: () => {
    const server = new MCPServer('bench')
    server.tool('ask', { input: z.object({ times: z.number() }) }, async ({ times }, ctx) => {
      for (let asked = 0; asked < times; asked++) {
        await ctx.elicit(`Which one? (${asked})`, form)
      }
      return 'asked'
    })
    void server.run()
  },
}
