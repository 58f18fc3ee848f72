// mcpwire run: serves a program's server, over stdio with a pipe that only the server can reach, or over HTTP.
import { fileURLToPath } from 'node:url'
import { launchStdioServer } from 'mcpwire/node'
import type { RunHttpOptions } from 'mcpwire/server'
import { checkServerFile, parseServerFile, type ServerFile } from './load-server.ts'
import { serveProgram } from './serve.ts'
import { usageFailure } from './terminal/failure.ts'
import type { Output } from './terminal/output.ts'

export interface RunCommandOptions {
  transport: 'stdio' | 'http'
  host?: string
  port?: number
  path?: string
}

/** The program that loads the server where a launcher has left a pipe; beside this one as built. */
const SERVE_PROGRAM = new URL('serve-stdio.js', import.meta.url)

/** Resolves to the exit code. */
export async function run(target: string, options: RunCommandOptions, output: Output): Promise<number> {
  const file = parseServerFile(target)
  if (file === undefined) throw usageFailure(`${target} is not a JavaScript or TypeScript file`)
  checkServerFile(file)
  return options.transport === 'http' ? runHttp(file, options, output) : runStdio(file, options)
}

function runStdio(file: ServerFile, options: RunCommandOptions): Promise<number> {
  for (const name of ['host', 'port', 'path'] as const) {
    if (options[name] !== undefined) throw usageFailure(`--${name} is for --transport http`)
  }
  const { path, exportName = '' } = file
  return launchStdioServer({ args: [...process.execArgv, fileURLToPath(SERVE_PROGRAM), path, exportName] })
}

async function runHttp(file: ServerFile, options: RunCommandOptions, output: Output): Promise<number> {
  await serveProgram(file, {
    wanted: { ...(options as RunHttpOptions), announce: false },
    onListening: ({ url }) => output.note(`Listening on ${url}`),
  })
  return 0
}
