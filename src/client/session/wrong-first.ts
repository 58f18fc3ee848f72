// What to say where the first argument of a call is not the name or URI: other SDKs take one object with all of it.

const USAGE = {
  callTool: "the name of the tool first, then its arguments, as in callTool('add', { a: 1 })",
  readResource: "the URI of the resource first, as in readResource('file:///notes')",
  getPrompt: "the name of the prompt first, then its arguments, as in getPrompt('greet', { name: 'Ada' })",
} as const

export function wrongFirst(method: keyof typeof USAGE): TypeError {
  return new TypeError(`${method}() takes ${USAGE[method]}. Its first argument is no string.`)
}
