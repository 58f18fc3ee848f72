// mcpwire dev: runs a server and replaces it when its files change.
import { runDev } from '../dev/dev.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { usageFailure } from '../terminal/failure.ts'
import type { Invocation } from './invocation.ts'
import { findFile } from './run.ts'

interface DevVerbOptions {
  stdio?: boolean
  port?: number
  host?: string
  path?: string
  inspector?: boolean
  open?: boolean
  watch?: string[]
  poll?: boolean
  clear?: boolean
  drain?: number
  envFile?: string
  inspect?: string | true
  inspectBrk?: string | true
}

const DEFAULT_DRAIN_SECONDS = 0.5

export async function devVerb({
  words,
  afterDashes = [],
  options,
  output,
  interruption,
}: Invocation<DevVerbOptions>): Promise<number> {
  const { stdio = false, host, port, path, envFile } = options
  const file = findFile(words[0] ?? '')
  if (stdio) {
    for (const name of ['host', 'port', 'path'] as const) {
      if (options[name] !== undefined) throw usageFailure(`--${name} and --stdio exclude each other.`)
    }
  }
  await runDev(
    file,
    {
      stdio,
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(path !== undefined && { path }),
      ...(envFile !== undefined && { envFile }),
      watch: options.watch ?? [],
      poll: options.poll === true,
      clear: options.clear === true,
      drainMs: (options.drain ?? DEFAULT_DRAIN_SECONDS) * 1000,
      nodeArgs: [...process.execArgv, ...debuggerArgs(options)],
      args: afterDashes,
      debug: options.debug === true,
    },
    { output, interruption },
  )
  return EXIT.done
}

function debuggerArgs({ inspect, inspectBrk }: DevVerbOptions): string[] {
  return [
    ...(inspect === undefined ? [] : [inspect === true ? '--inspect' : `--inspect=${inspect}`]),
    ...(inspectBrk === undefined ? [] : [inspectBrk === true ? '--inspect-brk' : `--inspect-brk=${inspectBrk}`]),
  ]
}
