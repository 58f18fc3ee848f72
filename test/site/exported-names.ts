// The names of each entry point, read from the declarations that ship.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export function entryPoints(): { page: string; file: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types?: string }>
  }
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' || target.types === undefined
      ? []
      : [{ page: path === '.' ? 'mcpwire' : path.slice(2), file: join(root, target.types) }],
  )
}

/** Names in `export { … }`, `export type { … }` and in whole modules that are passed on. */
export function exportedNames(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names]) => (names as string).split(','))
  const named = lists.map((name) =>
    (
      name
        .replace(/^\s*type /, '')
        .split(/ as /)
        .at(-1) as string
    ).trim(),
  )
  const declared = [...text.matchAll(/^export declare (?:abstract )?(?:class|function|const|type|interface) (\w+)/gm)]
  const passedOn = [...text.matchAll(/export (?:type )?\* from '([^']+)'/g)].flatMap(([, module]) => {
    const other = join(dirname(file), (module as string).replace(/\.ts$/, '.d.ts'))
    return existsSync(other) ? exportedNames(other) : []
  })
  return [...named, ...declared.map(([, name]) => name as string), ...passedOn].filter((name) => name !== '')
}
