// One TypeScript file as a module that Node can run.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { formatOf } from './module-format.ts'
import { refuseNamespace, refuseSyntax } from './refused-syntax.ts'
import { stripWithNode } from './strip-with-node.ts'
import type { transform } from './transform.ts'
import { readSettings } from './tsconfig.ts'

export interface LoadedModule {
  format: 'module' | 'commonjs'
  /** Without one, Node requires the file. */
  source?: string
  shortCircuit: true
}

export interface LoadOptions {
  /** Node strips the types of files that need nothing else. */
  usesNode: boolean
  /** CommonJS is left to `require`, see `require.ts`. */
  leavesRequire?: boolean
  transform: typeof transform
}

/** `undefined` for what is not TypeScript. */
export function createLoad(options: LoadOptions): (url: string) => LoadedModule | undefined {
  const { usesNode, leavesRequire = false, transform } = options
  return (url) => {
    if (!isTypeScriptUrl(url)) return undefined
    const path = fileURLToPath(url)
    const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
    const { keepsUnusedImports } = readSettings(path)
    const format = formatOf(path, text)
    if (format === 'commonjs' && leavesRequire) return { format, shortCircuit: true }
    const stripped = usesNode ? stripWithNode(text, { format, keepsUnusedImports }) : undefined
    if (stripped === undefined) refuseNamespace(path, text)
    const source = stripped ?? transform(text, { path, url, format, keepsUnusedImports })
    refuseSyntax(path, source)
    return { format, source, shortCircuit: true }
  }
}

export function isTypeScriptUrl(url: string): boolean {
  return url.startsWith('file:') && /\.[cm]?ts$/.test(url.replace(/[?#].*$/, ''))
}
