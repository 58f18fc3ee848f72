// The program that `mcpwire run` starts as a child: loads the server and serves it on the pipe of its parent.
import { programFailure } from './program-failure.ts'
import { serveProgram } from './serve-program.ts'
import { SERVE_VARIABLE, type ServeRequest } from './serve-request.ts'

const request = JSON.parse(process.env[SERVE_VARIABLE] ?? '{}') as ServeRequest
// The program and its children need not know.
delete process.env[SERVE_VARIABLE]
const { path, exportName, debug = false, json = false } = request
process.argv[1] = path

try {
  await serveProgram({ path, exportName }, { wanted: { transport: 'stdio' } })
} catch (error) {
  // Only a failure needs the catalogue of errors.
  const { printFailure } = await import('../errors/print-failure.ts')
  const write = (line: string) => process.stderr.write(`${line}\n`)
  process.exitCode = printFailure(await programFailure(path, error), write, { debug, json })
}
