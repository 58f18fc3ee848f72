// mcpwire conformance: runs the official suite against a server at a URL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readUrlWord } from '../target/url-words.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { showJSON } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'

/** The version that this package is tested with. */
export const SUITE = { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' }

/** It uses what Node 20 does not have. */
const NEEDS_NODE = 22

interface ConformanceOptions {
  suite?: string
  yes?: boolean
}

export async function conformanceVerb(invocation: Invocation<ConformanceOptions>): Promise<number> {
  const { words, options, output, interruption } = invocation
  const [word = ''] = words
  const url = readUrlWord(word)
  if (url === undefined) throw usageFailure(`"${word}" is not a URL.`, 'The suite tests a server at a URL.')
  checkNode()
  const [command, ...args] = await findSuite(options, output)
  const suite = options.suite === undefined ? [] : ['--suite', options.suite]
  // With --json the result is ours, and what the suite prints is a note.
  const child = spawn(command ?? '', [...args, 'server', '--url', new URL(url).href, ...suite], {
    stdio: ['ignore', output.isJSON ? 2 : 1, 2],
    shell: false,
  })
  const stop = () => child.kill('SIGTERM')
  interruption.addEventListener('abort', stop, { once: true })
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    if (output.isJSON) output.print(showJSON({ url, suite: options.suite, passed: code === 0 }))
    return code === 0 ? EXIT.done : EXIT.refused
  } catch (cause) {
    throw new Failure(`The suite could not be started: ${(cause as Error).message}`, {
      slug: 'command-not-found',
      exitCode: EXIT.noConnection,
      hint: 'Install npm, or the suite beside your project.',
      cause,
    })
  } finally {
    interruption.removeEventListener('abort', stop)
  }
}

function checkNode(): void {
  if (Number(process.versions.node.split('.')[0]) >= NEEDS_NODE) return
  throw new Failure(`The conformance suite needs Node ${NEEDS_NODE}, and this is Node ${process.versions.node}.`, {
    slug: 'node-too-old',
    exitCode: EXIT.noConnection,
    hint: `Run the command with Node ${NEEDS_NODE} or newer.`,
  })
}

/** The suite of the project, or the one that npx downloads once the user agrees. */
async function findSuite({ yes }: ConformanceOptions, output: Output): Promise<string[]> {
  const installed = findInstalled()
  if (installed !== undefined) return [process.execPath, installed]
  const spec = `${SUITE.name}@${SUITE.version}`
  if (yes !== true) await askToDownload(spec, output)
  return [process.platform === 'win32' ? 'npx.cmd' : 'npx', '--yes', spec]
}

function findInstalled(): string | undefined {
  try {
    const manifest = createRequire(join(process.cwd(), 'x.js')).resolve(`${SUITE.name}/package.json`)
    const { bin } = createRequire(manifest)(manifest) as { bin?: string | Record<string, string> }
    const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0]
    return file === undefined ? undefined : join(dirname(manifest), file)
  } catch {
    return undefined
  }
}

async function askToDownload(spec: string, output: Output): Promise<void> {
  const conversation = createPrompter(process)?.()
  if (conversation === undefined) {
    throw usageFailure(`The suite ${spec} is not installed.`, 'Use --yes to download it with npx.')
  }
  output.note(`The suite ${spec} is not installed.`)
  const answer = await conversation.ask('Download it with npx? (y/n) ')
  conversation.close()
  if (!/^(?:y|yes)$/i.test(answer?.trim() ?? '')) {
    throw usageFailure('The suite was not downloaded.', `Run npm install --save-dev ${spec}, or answer y.`)
  }
}
