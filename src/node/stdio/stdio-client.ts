// The client's side of stdio: a transport that starts a server as a child process.

import type { Transport } from '../../dispatcher/channel.ts'
import type { EncodingErrors } from '../../dispatcher/ndjson.ts'
import { checkEnvironment, maskCommand } from '../../primitives/command-line.ts'
import { typeError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { assertCount, checkKeys, type KnownKeys, type Some } from '../../primitives/options.ts'
import { checkProgram, defaultEnvironment, mergeEnvironment } from '../process/program.ts'
import { type ShutdownTimes, shutdownTimes } from '../process/shutdown-times.ts'
import type { StderrOption } from './child-stderr.ts'
import type { OpeningOptions } from './running-child.ts'

/** Options of `stdio()`: the program of a server, and how it is started and ended. */
export interface StdioOptions {
  /** The program, without its arguments. It is started without a shell. */
  command: string
  /** The arguments of the program (default: none). */
  args?: readonly string[] | undefined
  /**
   * Variables added to `defaultEnvironment()`; a value of `undefined` removes one. No other variable of this process is passed
   * on.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** The working directory of the program (default: that of this process). */
  cwd?: string | undefined
  /** Where the server's stderr goes (default: `'inherit'`). Its last lines are part of the error if the server exits. */
  stderr?: StderrOption | undefined
  /** What happens to bytes that are not UTF-8 (default: `'strict'`). */
  encodingErrors?: EncodingErrors | undefined
  /** The longest line that is accepted from the server in bytes (default: 64 MiB). */
  maxLineBytes?: number | undefined
  /** How long each step of closing the connection may take. */
  shutdown?: Some<ShutdownTimes> | undefined
}

export const STDIO_KEYS: KnownKeys<StdioOptions> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
  stderr: true,
  encodingErrors: true,
  maxLineBytes: true,
  shutdown: true,
}

/**
 * A transport that starts a server as a child process. Each `open()` starts one; closing the channel ends it with everything it
 * has started.
 */
export function stdio(options: StdioOptions): Transport {
  checkKeys('stdio()', options, STDIO_KEYS)
  const { command, args = [], cwd, env = {} } = options
  checkProgram({ command, args, cwd })
  checkEnvironment(env)
  const program = { command, args: [...args], cwd }
  const ownEnvironment = { ...env }
  const channelOptions = parseStdioOptions(options)
  return {
    kind: 'stdio',
    target: maskCommand(command, program.args),
    open: async ({ signal } = {}) => {
      const environment = mergeEnvironment(defaultEnvironment(), ownEnvironment)
      const { openChild } = await loading(import('./running-child.ts'))
      return openChild({ ...program, env: environment }, channelOptions, signal)
    },
  }
}

function parseStdioOptions(options: StdioOptions): OpeningOptions {
  const { command, stderr = 'inherit', encodingErrors = 'strict', maxLineBytes } = options
  if (typeof stderr !== 'function' && !['inherit', 'ignore'].includes(stderr)) {
    throw typeError('wrong-option', "stderr must be 'inherit', 'ignore' or a function that receives each line")
  }
  if (!['strict', 'replace', 'ignore'].includes(encodingErrors)) {
    throw typeError('wrong-option', "encodingErrors must be 'strict', 'replace' or 'ignore'")
  }
  if (maxLineBytes !== undefined) assertCount('maxLineBytes', maxLineBytes, 1)
  return {
    command,
    stderr,
    encodingErrors,
    maxLineBytes,
    shutdown: shutdownTimes(options.shutdown),
  }
}
