// The program that `mcpwire run` starts: loads the server and runs it on the pipe that was left for it.

import { serveProgram } from './serve.ts'
import { tellThrown } from './terminal/tell.ts'

const [path = '', exportName] = process.argv.slice(2)

try {
  await serveProgram({ path, exportName: exportName || undefined }, { wanted: { transport: 'stdio' } })
} catch (error) {
  process.exitCode = tellThrown(error, (line) => process.stderr.write(`${line}\n`), { showsStack: true })
}
