// mcpwire dev: runs a server and replaces it when its files change.
import { type DevInspector, runDev } from '../dev/dev.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { findFile } from './run.ts'
import type { Invocation } from './shared/invocation.ts'

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
    {
      output,
      interruption,
      // A host that starts the command has no use for a page, and a port is only one client's.
      ...(!stdio && options.inspector !== false && { startInspector: inspectorFor(output, options) }),
    },
  )
  return EXIT.done
}

/** Its code loads while the server does. */
function inspectorFor(output: Output, { open }: DevVerbOptions): (url: string) => Promise<DevInspector> {
  const loading = import('./own-inspector.ts')
  loading.catch(() => {})
  return async (url) => {
    const { startOwnInspector } = await loading
    const inspector = await startOwnInspector({ output, target: { url: reachable(url), headers: {} } })
    if (open !== false) inspector.show()
    return inspector
  }
}

/** An address that stands for all of this machine is none to connect to. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=[:/])/, 'http://127.0.0.1')
}

function debuggerArgs({ inspect, inspectBrk }: DevVerbOptions): string[] {
  return [
    ...(inspect === undefined ? [] : [inspect === true ? '--inspect' : `--inspect=${inspect}`]),
    ...(inspectBrk === undefined ? [] : [inspectBrk === true ? '--inspect-brk' : `--inspect-brk=${inspectBrk}`]),
  ]
}
