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
import { addStraightRounds } from './server/straight.ts'
import { addTasks } from './server/tasks.ts'
import { addTools } from './server/tools.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    /** As a child process, in place of a port. */
    stdio: { type: 'boolean', default: false },
    // One of several nodes: what they share, and the secret of their states.
    redis: { type: 'string' },
    sqlite: { type: 'string' },
    secret: { type: 'string' },
    /** Tools that ask do so where they stand, in place of returning rounds of the modern era. */
    straight: { type: 'boolean', default: false },
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
if (values.straight) addStraightRounds(server)
else addRounds(server)
addContents(server)
addReconnection(server)
addSkills(server)
addTasks(server)

if (values.stdio) {
  await server.run()
} else {
  const { url } = await server.run({ transport: 'http', port: Number(values.port) })
  console.log(url)
}
