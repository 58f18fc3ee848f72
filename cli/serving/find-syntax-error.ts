// Where a syntax error is. Node tells the place of one in an ES module only where nobody catches it, so the files are parsed once more.
import { spawnSync } from 'node:child_process'

export interface SyntaxPlace {
  /** `/path/server.js:2`. */
  readonly place: string
  /** The line of the program. */
  readonly text: string
}

const MAX_MS = 10_000

/** Parses a file and what it imports by relative paths; runs nothing of it. In a process of its own, because the parser needs an option. */
const PARSE = `
  const { SourceTextModule } = require('node:vm')
  const { readFileSync } = require('node:fs')
  const { fileURLToPath, pathToFileURL } = require('node:url')
  const [, first] = process.argv
  const queue = [first]
  const seen = new Set()
  while (queue.length > 0 && seen.size < 500) {
    const file = queue.shift()
    if (seen.has(file)) continue
    seen.add(file)
    try {
      const module = new SourceTextModule(readFileSync(file, 'utf8'), { identifier: file })
      for (const specifier of module.dependencySpecifiers) {
        if (!/^(?:\\.{0,2}\\/|file:)/.test(specifier)) continue
        const url = new URL(specifier, pathToFileURL(file))
        if (/\\.m?js$/.test(url.pathname)) queue.push(fileURLToPath(url))
      }
    } catch (error) {
      // Uncaught, so that Node prints the place.
      if (error instanceof SyntaxError) throw error
    }
  }`

/** `undefined` where the error cannot be found again. */
export function findSyntaxError(path: string): SyntaxPlace | undefined {
  if (!/\.m?js$/.test(path)) return undefined
  const { stderr } = spawnSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', '-e', PARSE, path], {
    encoding: 'utf8',
    timeout: MAX_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [place = '', text = ''] = stderr.split('\n')
  return /^(?:\/|[A-Za-z]:[\\/]).*:\d+$/.test(place) ? { place, text } : undefined
}
