// Requests that only look: sending one twice changes nothing, so a lost one may be sent again.

const SAFE_METHODS: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method)
}
