// The program that `mcpwire run` starts as a child: loads the server and serves it on the pipe of its parent.

import { serveProgram } from './run.ts'
import { printFailure } from './terminal/failure.ts'

const [path = '', exportName] = process.argv.slice(2)

try {
  await serveProgram({ path, exportName: exportName || undefined }, { wanted: { transport: 'stdio' } })
} catch (error) {
  process.exitCode = printFailure(error, (line) => process.stderr.write(`${line}\n`), { showsStack: true })
}
