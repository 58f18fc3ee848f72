// TypeScript that neither Node nor the built-in loader can run. The error may come from the thread of the hooks, so it is known by its code.
export const NOT_SUPPORTED = 'typescript-not-supported'

export function notSupported(message: string, hint: string): Error {
  return Object.assign(new SyntaxError(message), { code: NOT_SUPPORTED, hint })
}
