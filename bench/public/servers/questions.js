// A server over stdio whose tool asks its user as often as it is told.
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

export const contenders = {
  mcpwire: () => {
    const server = new MCPServer('bench')
    server.tool('ask', { input: z.object({ times: z.number() }) }, async ({ times }, ctx) => {
      for (let asked = 0; asked < times; asked++) {
        await ctx.elicit(`Which one? (${asked})`, z.object({ name: z.string() }))
      }
      return 'asked'
    })
    void server.run()
  },
}
