// Syntax that only a compiler can turn into what this Node runs. Each gets a message that says where it is and what to do.
import { Script } from 'node:vm'
import { notSupported } from './not-supported.ts'
import { blankText } from './source-text.ts'

const INSTALL_TSX = 'install tsx: npm i -D tsx'

// A line of code that begins like this cannot be anything else, whereas in the middle of a line it may be part of a pattern.
const NAMESPACE = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[\p{L}_$][\p{L}\p{N}_$.]*\s*\{/mu
const DECORATOR = /^[ \t]*(?:export[ \t]+(?:default[ \t]+)?)?@[\p{L}_$]/mu
const USING = /(?:^|[;{}(])[ \t]*(?:await[ \t]+)?using[ \t]+[\p{L}_$][\p{L}\p{N}_$]*\s*(?:=|of\b)/mu

/** The transform would remove a namespace as if it held types alone. */
export function refuseNamespace(path: string, text: string): void {
  if (!/\b(?:namespace|module)\b/.test(text)) return
  const line = lineOf(NAMESPACE, text)
  if (line === undefined) return
  throw notSupported(
    `${path}:${line} has a namespace, which the built-in TypeScript loader does not run.`,
    `Use an ES module instead, or ${INSTALL_TSX}`,
  )
}

/** In JavaScript that is ready to run. Node would report it as an unexpected token, in some versions without a line. */
export function refuseSyntax(path: string, source: string): void {
  if (source.includes('using') && !runs('{ using nothing = null }')) {
    const line = lineOf(USING, source)
    if (line !== undefined) {
      throw notSupported(
        `${path}:${line} has a \`using\` declaration, which Node ${process.version} does not run.`,
        `\`using\` needs Node 24, or ${INSTALL_TSX}`,
      )
    }
  }
  if (source.includes('@') && !runs('@((value) => value) class Nothing {}')) {
    const line = lineOf(DECORATOR, source)
    if (line !== undefined) {
      throw notSupported(
        `${path}:${line} has a decorator, which Node ${process.version} does not run.`,
        `To use decorators, ${INSTALL_TSX}`,
      )
    }
  }
}

function lineOf(pattern: RegExp, source: string): number | undefined {
  const found = pattern.exec(blankText(source))
  if (found === null) return undefined
  const start = found.index + found[0].search(/[^\s;{}(]/)
  return source.slice(0, start).split('\n').length
}

const known = new Map<string, boolean>()

function runs(code: string): boolean {
  const before = known.get(code)
  if (before !== undefined) return before
  let isRun = true
  try {
    new Script(code)
  } catch {
    isRun = false
  }
  known.set(code, isRun)
  return isRun
}
