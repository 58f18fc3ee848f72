// The inspector as this command line starts it: with the user's tokens, configured servers and words for targets.
import { fileTokenStore, openBrowser } from 'mcpwire/node'
import { type RunningInspector, startInspector, type Target } from '../../inspector/backend/start-inspector.ts'
import { configFile, readUserFile, writeUserFile } from '../files/user-files.ts'
import { listConfigured } from '../target/configured.ts'
import { parseTyped } from '../target/typed-target.ts'
import type { Output } from '../terminal/output.ts'
import { readVersion } from '../terminal/version.ts'

/** Recent targets and saved calls. */
const keptFile = () => configFile('inspector.json')

export interface OwnInspectorOptions {
  output: Output
  /** Connected at once. */
  target?: Target | undefined
  port?: number | undefined
  host?: string
  mode?: string | undefined
}

export async function startOwnInspector(options: OwnInspectorOptions): Promise<RunningInspector> {
  const { output, host, port, mode, target } = options
  return startInspector({
    files: new URL('dist/inspector/', import.meta.resolve('mcpwire/package.json')),
    version: readVersion(),
    tokens: fileTokenStore(),
    kept: { read: () => readUserFile(keptFile()), write: (value) => void writeUserFile(keptFile(), value) },
    parseTarget: (typed, headers) => parseTyped(typed, headers, output),
    configured: (await listConfigured()).map(({ name, file }) => ({ name, from: file, target: `@${name}` })),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(mode !== undefined && { mode }),
    ...(target !== undefined && { target }),
  })
}

/** Where somebody sits at the terminal. Without a browser the printed URL has to do. */
export function showInspector({ url }: Pick<RunningInspector, 'url'>): void {
  if (process.stderr.isTTY) void openBrowser(url).catch(() => {})
}
