import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

let runs = 0
let reservations = 0

const server = new MCPServer('cinema')
server.tool('book', async (_args, ctx) => {
  runs++
  const seat = await ctx.step('reserve', () => {
    reservations++
    return 'row 4, seat 7'
  })
  const answer = await ctx.elicit(`Take ${seat}?`, z.object({}))
  return answer.action === 'accept' ? `Booked ${seat}` : 'Not booked'
})

const client = await Client.connect(server, {
  onElicitation: () => ({ action: 'accept' }),
})
console.log((await client.callTool('book')).content)
console.log(`${runs} runs, ${reservations} reservation`)
await client.close()
