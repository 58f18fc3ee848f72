import { lookUp } from './client.ts'

// A URL, or a command with its arguments. This one starts the server in demo/.
const [word = 'client', url] = process.argv.slice(2)
const target = url ?? { command: 'node', args: ['node_modules/mcpwire/dist/cli/mcpwire.js', 'run', 'demo/server.ts'] }

for (const line of await lookUp(target, word)) console.log(line)
