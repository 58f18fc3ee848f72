// mcpwire run: serves the server of a program, over stdio on a pipe that only the server can reach, or over HTTP.
import { fileURLToPath } from 'node:url'
import { TransportError } from 'mcpwire'
import { launchStdioServer } from 'mcpwire/node'
import type { RunHttpOptions } from 'mcpwire/server'
import { readEnvFile } from '../install/env-file.ts'
import { programFailure } from '../serving/program-failure.ts'
import { serveProgram } from '../serving/serve-program.ts'
import { SERVE_VARIABLE, type ServeRequest } from '../serving/serve-request.ts'
import type { ServerFile } from '../serving/server-file.ts'
import { findServerFile } from '../target/target.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { usageFailure } from '../terminal/failure.ts'
import type { Invocation } from './shared/invocation.ts'

interface RunOptions {
  transport?: 'stdio' | 'http'
  http?: boolean
  host?: string
  port?: number
  path?: string
  envFile?: string
}

/** The child program, which the build puts beside this one. */
const SERVE_PROGRAM = new URL('serve-stdio.js', import.meta.url)

export async function runVerb(invocation: Invocation<RunOptions>): Promise<number> {
  const { words, options } = invocation
  const file = findFile(words[0] ?? '')
  const isHttp = options.http === true || options.transport === 'http'
  if (isHttp && options.transport === 'stdio') throw usageFailure('--http and --transport stdio exclude each other.')
  if (!isHttp) {
    for (const name of ['host', 'port', 'path'] as const) {
      if (options[name] !== undefined) throw usageFailure(`--${name} needs --http.`)
    }
  }
  const env = options.envFile === undefined ? {} : await readEnvFile(options.envFile)
  return isHttp ? runHttp(file, env, invocation) : runStdio(file, env, invocation)
}

/** Fails where the word names no program, or the file is not there. */
export function findFile(word: string): ServerFile {
  const file = findServerFile(word)
  if (file === undefined) {
    throw usageFailure(`${word} is not a JavaScript or TypeScript file.`, 'Name a file, as in: mcpwire run server.ts')
  }
  return file
}

const ON_STDIO = 'Serving on stdio, for a client that starts this command. Use --http for a URL. Press Ctrl-C to stop.'

function runStdio(file: ServerFile, env: Record<string, string>, invocation: Invocation<RunOptions>): Promise<number> {
  const { afterDashes = [], options, output } = invocation
  // A person who sees nothing would wait for something.
  if (process.stdin.isTTY === true && output.hasStatus) output.note(ON_STDIO)
  const request: ServeRequest = { ...file, debug: options.debug === true, json: options.json === true }
  return launchStdioServer({
    args: [...process.execArgv, fileURLToPath(SERVE_PROGRAM), ...afterDashes],
    env: { ...withoutSet(env), [SERVE_VARIABLE]: JSON.stringify(request) },
  })
}

async function runHttp(
  file: ServerFile,
  env: Record<string, string>,
  { options, afterDashes = [], output }: Invocation<RunOptions>,
): Promise<number> {
  enterProgram(file, env, afterDashes)
  const { host, port, path } = options
  const wanted = Object.fromEntries(Object.entries({ host, port, path }).filter(([, value]) => value !== undefined))
  try {
    await serveProgram(file, {
      wanted: { transport: 'http', ...wanted, announce: false } as RunHttpOptions,
      onListening: ({ url }) => output.note(`Listening on ${url}`),
    })
  } catch (error) {
    if (isAddressError(error)) throw error
    throw await programFailure(file.path, error)
  }
  return EXIT.done
}

/** The program finds its arguments and variables as if Node had been started with it. */
export function enterProgram({ path }: ServerFile, env: Record<string, string>, args: readonly string[]): void {
  process.argv = [process.argv[0] ?? process.execPath, path, ...args]
  Object.assign(process.env, withoutSet(env))
}

/** As Node's own --env-file: a variable that is set already stays. */
function withoutSet(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => process.env[name] === undefined))
}

/** The address is what the command line says, not the program. */
function isAddressError(error: unknown): boolean {
  return error instanceof TransportError && error.message.startsWith('Cannot listen on')
}
