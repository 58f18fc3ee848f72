// The process that runs the server under `mcpwire dev`. It serves over the pipe of its parent or over a local port, and reports what
// it has loaded. It ends when its parent does.
import { close as closeInspector, url as inspectorUrl, open as openInspector } from 'node:inspector'
import { printFailure } from '../../errors/print-failure.ts'
import { programFailure } from '../../serving/program-failure.ts'
import { serveProgram } from '../../serving/serve-program.ts'
import { createDeferred } from '../../terminal/primitives.ts'
import { openChildControl } from './control.ts'
import { reportLoadedFiles } from './loaded-files.ts'
import { takeSettings } from './settings.ts'
import { warmUp } from './warm-up.ts'

const { path, exportName, transport, http, secret, debug } = takeSettings()
process.argv[1] = path

const ORPHAN_GRACE_MS = 3_000
const inspectorPort = Number(new URL(inspectorUrl() ?? 'ws://localhost:9229').port)

const loadWanted = createDeferred<void>()

const control = openChildControl((command) => {
  if (command.type === 'load') return loadWanted.resolve()
  const { isOpen } = command
  if (isOpen && inspectorUrl() === undefined) openInspector(inspectorPort)
  if (!isOpen) closeInspector()
  control.send({ type: 'inspector', isOpen })
})
void control.closed.then(() => {
  setTimeout(() => process.exit(), ORPHAN_GRACE_MS).unref()
  if (transport === 'http') process.kill(process.pid, 'SIGTERM')
})

// Answers to questions of tools stay valid when the next version of the program takes over.
Reflect.set(globalThis, Symbol.for('mcpwire.state-secret'), Buffer.from(secret, 'base64'))

const files = reportLoadedFiles((paths) => control.send({ type: 'files', paths }))

// This process may be started long before its version of the program is there to load.
await warmUp(path)
await loadWanted.promise
control.release()

try {
  await serveProgram(
    { path, exportName },
    {
      wanted:
        transport === 'stdio'
          ? { transport: 'stdio' }
          : { transport: 'http', host: '127.0.0.1', port: 0, announce: false, drainMs: 0, ...http },
      onRun(asked) {
        files.flush()
        const { port, host } = asked as { port?: number | string; host?: string }
        control.send({
          type: 'running',
          asked: { ...(port !== undefined && { port: Number(port) }), ...(host !== undefined && { host }) },
        })
      },
      onListening: ({ url }) => control.send({ type: 'listening', url }),
    },
  )
} catch (error) {
  const lines: string[] = []
  files.flush()
  process.exitCode = printFailure(await programFailure(path, error), (line) => lines.push(line), { debug })
  control.send({ type: 'failed', lines })
}
