// A call or a message as something to paste elsewhere. Nothing that is copied holds a secret: the page has none.
import type { MessageEntry } from '../../protocol/entries.ts'
import type { CallState, ConnectionState } from '../../protocol/state.ts'

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const VERBS = { tool: 'call', read: 'read', prompt: 'prompt' } as const

/** `mcpwire call …`. The target is as the user named it, or as it is shown, so hidden words stay hidden. */
export function asCommand(
  { kind, target, word }: Pick<ConnectionState, 'kind' | 'target' | 'word'>,
  call: Pick<CallState, 'kind' | 'name' | 'args'>,
): string {
  const verb = VERBS[call.kind]
  const args = call.kind === 'read' || Object.keys(call.args).length === 0 ? [] : ['--args', JSON.stringify(call.args)]
  const words = [call.name, ...args].map(quote)
  if (kind === 'url' || word !== undefined) return ['mcpwire', verb, quote(word ?? target), ...words].join(' ')
  return ['mcpwire', verb, ...words, '--', target].join(' ')
}

/** For a request to a URL. */
export function asCurl(
  { target }: Pick<ConnectionState, 'target'>,
  { body }: Pick<MessageEntry, 'body'>,
  revision: string,
): string {
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${revision}`,
  ]
  return ['curl', quote(target), ...headers.map((header) => `-H ${quote(header)}`), `--data ${quote(body)}`].join(
    ' \\\n  ',
  )
}
