// The built-in loader, registered with Node: in this thread where Node can do that, else in the thread that Node has for it.
import * as nodeModule from 'node:module'
import type { LoadedModule } from './load.ts'
import type { transform } from './transform.ts'
import { withoutWarnings } from './warnings.ts'

export interface RegisterOptions {
  /** Node strips the types of files that need nothing else. */
  usesNode: boolean
}

interface SyncHooks {
  resolve(
    specifier: string,
    context: { parentURL?: string },
    next: (specifier: string, context?: object) => { url: string },
  ): object
  load(url: string, context: object, next: (url: string, context?: object) => object): LoadedModule | object
}

const { registerHooks, setSourceMapsSupport } = nodeModule as unknown as {
  /** Since Node 22.15. */
  registerHooks?: (hooks: SyncHooks) => { deregister(): void }
  /** Since Node 22.14. */
  setSourceMapsSupport?: (enabled: boolean, options: object) => void
}

let remove: (() => void) | undefined

export async function registerTypeScript({ usesNode }: RegisterOptions): Promise<void> {
  if (remove !== undefined) return
  remove = () => {}
  if (setSourceMapsSupport === undefined) process.setSourceMapsEnabled(true)
  else setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  // The first versions with hooks in this thread cannot load CommonJS through them.
  if (registerHooks === undefined || !usesNode) {
    const { requireTypeScript } = await import('./require.ts')
    requireTypeScript(loadTransform)
    const isOff = new Int32Array(new SharedArrayBuffer(4))
    nodeModule.register(new URL('hooks.js', import.meta.url), { data: isOff })
    remove = () => void Atomics.store(isOff, 0, 1)
    return
  }
  const [{ createLoad }, { resolveTypeScript }] = await Promise.all([import('./load.ts'), import('./resolve.ts')])
  const load = createLoad({ usesNode, transform: (text, options) => loadTransform()(text, options) })
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      resolveTypeScript(specifier, context.parentURL, (wanted) => next(wanted, context)) as object,
    load: (url, context, next) => load(url) ?? next(url, context),
  })
  remove = () => hooks.deregister()
}

/** Before another loader takes over. */
export function unregisterTypeScript(): void {
  remove?.()
}

/** Most programs need no more than Node does, and hooks of this thread can't wait for an import. */
function loadTransform(): typeof transform {
  const require = nodeModule.createRequire(import.meta.url)
  return withoutWarnings(() => require('./transform.js') as { transform: typeof transform }).transform
}
