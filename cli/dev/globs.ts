// Patterns of files, as `--watch` takes them: `*`, `**`, `?` and `{a,b}`.
import { resolve, sep } from 'node:path'

export interface Glob {
  /** The folder that all files of it are in, or the file itself. */
  readonly base: string
  matches(path: string): boolean
}

export function parseGlob(text: string, cwd = process.cwd()): Glob {
  const whole = resolve(cwd, text).split(sep).join('/')
  const parts = whole.split('/')
  const first = parts.findIndex((part) => /[*?{]/.test(part))
  const base = first === -1 ? whole : parts.slice(0, first).join('/') || '/'
  const pattern = new RegExp(`^${toPattern(whole)}$`)
  const isFolder = first === -1
  return {
    base,
    matches(path) {
      const name = path.split(sep).join('/')
      return pattern.test(name) || (isFolder && name.startsWith(`${whole}/`))
    },
  }
}

function toPattern(glob: string): string {
  let depth = 0
  const tokens = glob.match(/\*\*\/|\*\*|\*|\?|\{|\}|,|[^*?{},]+/g) ?? []
  return tokens
    .map((token) => {
      if (token === '**/') return '(?:[^/]+/)*'
      if (token === '**') return '.*'
      if (token === '*') return '[^/]*'
      if (token === '?') return '[^/]'
      if (token === '{') depth += 1
      if (token === '{') return '(?:'
      if (token === '}' && depth > 0) depth -= 1
      if (token === '}') return ')'
      if (token === ',') return depth > 0 ? '|' : ','
      return token.replace(/[.+^$()|[\]\\]/g, '\\$&')
    })
    .join('')
}
