// Runs the server of a program as the command line says, whatever the program itself would have done.
import { serveHttp, serveStdio } from 'mcpwire/node'
import type { RunOptions } from '../mcpserver/run.ts'
import { installRunner } from '../mcpserver/runner.ts'
import { createDeferred } from '../primitives/deferred.ts'
import { Failure } from './failure.ts'
import { findServer, importProgram, type LoadedServer, type ServerFile } from './load-server.ts'

/** Resolves to what `run()` does: nothing once a stdio server is over, and what listens as soon as it does. */
export async function serveProgram(file: ServerFile, wanted: RunOptions): Promise<unknown> {
  const runs = new Map<object, Promise<unknown>>()
  const first = createDeferred<void>()
  installRunner((server, asked, run) => {
    const running = runs.get(server) ?? run(decide(asked, wanted))
    runs.set(server, running)
    first.resolve()
    return running
  })
  const exports = await importProgram(file)
  if (runs.size === 0) {
    const server = findServer(file, exports)
    if (server !== undefined) return runExported(server, wanted)
    await runsLater(file, first.promise)
  }
  const [result] = await Promise.all(runs.values())
  return result
}

/** What was said on the command line counts; what the program says about the same transport fills the rest. */
function decide(asked: RunOptions, wanted: RunOptions): RunOptions {
  return (asked.transport ?? 'stdio') === wanted.transport ? ({ ...asked, ...wanted } as RunOptions) : wanted
}

function runExported(server: LoadedServer, wanted: RunOptions): Promise<unknown> {
  if (server.run !== undefined) return server.run(wanted)
  const target = server as unknown as Parameters<typeof serveHttp>[0] & Parameters<typeof serveStdio>[0]
  return wanted.transport === 'http' ? serveHttp(target, { handleSignals: true, ...wanted }) : serveStdio(target)
}

/** A program may have things to do before it runs its server; once nothing is left to do, it will not. */
function runsLater({ path }: ServerFile, running: Promise<void>): Promise<void> {
  const idle = createDeferred<never>()
  const giveUp = () => {
    idle.reject(
      new Failure(`${path} neither runs nor exports a server`, {
        hint: "Export it: export const server = new MCPServer('…')",
      }),
    )
  }
  process.once('beforeExit', giveUp)
  return Promise.race([running, idle.promise]).finally(() => process.off('beforeExit', giveUp))
}
