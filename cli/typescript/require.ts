// TypeScript for `require`, on a Node whose hooks reach `import` alone (before 22.15).
import nodeModule from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createLoad } from './load.ts'
import { findTypeScript } from './resolve.ts'
import type { transform } from './transform.ts'

interface CommonModule {
  filename?: string
  _compile(source: string, path: string): void
}

/** Members that Node keeps for loaders, though its types do not list them. */
interface CommonLoader {
  _extensions: Record<string, (module: CommonModule, path: string) => void>
  _resolveFilename(request: string, parent: CommonModule | undefined, ...rest: unknown[]): string
}

export function requireTypeScript(getTransform: () => typeof transform): void {
  const loader = nodeModule as unknown as CommonLoader
  const load = createLoad({ usesNode: false, transform: (text, options) => getTransform()(text, options) })
  const compile = (module: CommonModule, path: string) => {
    module._compile(load(pathToFileURL(path).href)?.source ?? '', path)
  }
  loader._extensions['.ts'] = compile
  loader._extensions['.cts'] = compile
  const resolve = loader._resolveFilename
  loader._resolveFilename = (request, parent, ...rest) => {
    try {
      return resolve.call(loader, request, parent, ...rest)
    } catch (error) {
      const importer = parent?.filename
      const found = importer?.match(/\.[cm]?ts$/) && findTypeScript(request, pathToFileURL(importer).href)
      if (!found) throw error
      return fileURLToPath(found)
    }
  }
}
