// The inspector as this command line starts it: with the user's tokens, configured servers and words for targets.
import { fileTokenStore } from 'mcpwire/node'
import { type RunningInspector, startInspector, type Target } from '../../inspector/backend/start-inspector.ts'
import { configFile, readUserFile, writeUserFile } from '../files/user-files.ts'
import { showWord } from '../target/approval.ts'
import { listConfigured } from '../target/configured.ts'
import { parseTyped } from '../target/typed-target.ts'
import type { Output } from '../terminal/output.ts'
import { openFile, type RedirectPage, writeRedirectPage } from '../terminal/redirect-page.ts'
import { readVersion } from '../terminal/version.ts'

/** Recent targets, saved calls and answers. */
const keptFile = () => configFile('inspector.json')

export interface OwnInspectorOptions {
  output: Output
  /** Connected at once. */
  target?: Target | undefined
  /** The word that named it. */
  typed?: string | undefined
  port?: number | undefined
  host?: string
  mode?: string | undefined
}

export interface OwnInspector extends Pick<RunningInspector, 'reloaded' | 'close'> {
  /** The link to print first. */
  readonly link: string
  /** Opens a page, where somebody sits at the terminal. Prints a new link where the last one was used. */
  show(): void
}

export async function startOwnInspector(options: OwnInspectorOptions): Promise<OwnInspector> {
  const { output, host, port, mode, target, typed } = options
  let redirect: RedirectPage | undefined
  const running = await startInspector({
    files: new URL('dist/inspector/', import.meta.resolve('mcpwire/package.json')),
    version: readVersion(),
    tokens: fileTokenStore(),
    kept: { read: () => readUserFile(keptFile()), write: (value) => void writeUserFile(keptFile(), value) },
    parseTarget: (typed, headers) => parseTyped(typed, headers, output),
    configured: (await listConfigured()).map(({ name, file }) => ({ name, from: file, target: `@${name}` })),
    onOpened: () => {
      redirect?.remove()
      // Without a keyboard nobody could ask for the next link.
      if (!process.stdin.isTTY) printNew()
    },
    onProgram: (words) => output.note(`mcpwire: The page starts: ${words.map(showWord).join(' ')}`),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(mode !== undefined && { mode }),
    ...(target !== undefined && { target }),
    ...(typed !== undefined && { typed }),
  })
  const { link } = running
  let printed = link
  const printNew = () => {
    if (running.link === printed) return
    printed = running.link
    output.note(`Inspector  ${printed}`)
  }
  return {
    link,
    show() {
      printNew()
      if (!process.stderr.isTTY) return
      redirect?.remove()
      try {
        redirect = writeRedirectPage(running.link)
        openFile(redirect.path)
      } catch {
        // The printed link has to do.
      }
    },
    reloaded: running.reloaded,
    async close() {
      redirect?.remove()
      await running.close()
    },
  }
}
