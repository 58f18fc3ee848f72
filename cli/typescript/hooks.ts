// The hooks of the built-in loader for a Node that runs them in a thread of their own (before 22.15).
import { createLoad } from './load.ts'
import { resolveTypeScript } from './resolve.ts'
import { transform } from './transform.ts'

interface ResolveContext {
  parentURL?: string
}

const loadTypeScript = createLoad({ usesNode: false, leavesRequire: true, transform })

let isOff = new Int32Array(1)

/** `shared` is set to 1 when another loader takes over. */
export function initialize(shared: Int32Array<ArrayBuffer>): void {
  isOff = shared
}

function isOn(): boolean {
  return Atomics.load(isOff, 0) === 0
}

export async function resolve(
  specifier: string,
  context: ResolveContext,
  next: (specifier: string, context: object) => Promise<object>,
): Promise<object> {
  if (!isOn()) return next(specifier, context)
  return resolveTypeScript(specifier, context.parentURL, (wanted) => next(wanted, context))
}

export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<object>,
): Promise<object> {
  return (isOn() ? loadTypeScript(url) : undefined) ?? next(url, context)
}
