// The server for the official conformance suite: every feature of a server, on one endpoint for both eras.
import { parseArgs } from 'node:util'
import { MCPServer } from 'mcpwire'
import type { Backend } from 'mcpwire/backend'
import { skills } from 'mcpwire/extensions/skills'
import { tasks } from 'mcpwire/extensions/tasks'
import { redis } from 'mcpwire/redis'
import { sqlite } from 'mcpwire/sqlite'
import { addContents } from './server/contents.ts'
import { addQuestions } from './server/questions.ts'
import { addReconnection } from './server/reconnection.ts'
import { addRounds } from './server/rounds.ts'
import { addSkills } from './server/skills.ts'
import { addTasks } from './server/tasks.ts'
import { addTools } from './server/tools.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    // One of several nodes: what they share, and the secret of their states.
    redis: { type: 'string' },
    sqlite: { type: 'string' },
    secret: { type: 'string' },
  },
})

function openBackend(): Backend | undefined {
  if (values.redis !== undefined) return redis(values.redis)
  return values.sqlite === undefined ? undefined : sqlite(values.sqlite)
}

const server = new MCPServer('mcpwire-conformance', {
  version: '1.0.0',
  instructions: 'Offers one of everything, for tests.',
  extensions: [skills({ directoryRead: true }), tasks()],
  backend: openBackend(),
  requestState: values.secret === undefined ? undefined : { keys: [values.secret] },
})
addTools(server)
addQuestions(server)
addRounds(server)
addContents(server)
addReconnection(server)
addSkills(server)
addTasks(server)

const { url } = await server.run({ transport: 'http', port: Number(values.port) })
console.log(url)
