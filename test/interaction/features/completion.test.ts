// Completion: suggestions for arguments of prompts and of resource templates.
import { expect, vi } from 'vitest'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { CompleteRequestParams, CompleteResult } from '../../../src/types/features/completion.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { refusalOf } from '../kit/support-features.ts'

type Complete = NonNullable<NonNullable<ServerOptions['handlers']>['completion/complete']>

function completer(complete: Complete): Server {
  return new Server('completer', { handlers: { 'completion/complete': complete } })
}

const PROMPT = { type: 'ref/prompt', name: 'review' } as const
const NOTHING: CompleteResult = { completion: { values: [] } }

/** Keeps what it was asked. */
function keeping(seen: Partial<CompleteRequestParams>[]): Complete {
  return (_ctx, { ref, argument, ...rest }) => {
    seen.push({ ref, argument, ...('context' in rest && { context: rest.context }) })
    return NOTHING
  }
}

requirement('completion:prompt', async ({ connect }) => {
  const complete: Complete = (_ctx, { ref, argument }) => ({
    completion: { values: ref.type === 'ref/prompt' ? [`${ref.name}.${argument.name}.${argument.value}`] : [] },
  })
  await using client = await connect(completer(complete))

  const { completion } = await client.complete(PROMPT, { name: 'language', value: 'py' })

  expect(completion).toEqual({ values: ['review.language.py'] })
})

requirement('completion:resource', async ({ connect }) => {
  const seen: Partial<CompleteRequestParams>[] = []
  await using client = await connect(completer(keeping(seen)))
  const ref = { type: 'ref/resource', uri: 'db://{table}/{id}' } as const
  await client.complete(ref, { name: 'table', value: '' })

  expect(seen).toEqual([{ ref, argument: { name: 'table', value: '' } }])
})

requirement('completion:context', async ({ connect, version }) => {
  const seen: Partial<CompleteRequestParams>[] = []
  await using client = await connect(completer(keeping(seen)))
  await client.complete(PROMPT, { name: 'framework', value: 'fl' }, { language: 'python' })

  const context = { arguments: { language: 'python' } }
  const isKnown = isVersionAtLeast(version, '2025-06-18')
  expect(seen[0]?.context).toEqual(isKnown ? context : undefined)
})

requirement('completion:order-and-totals', async ({ connect }) => {
  const completion = { values: ['zulu', 'alpha', 'mike'], total: 250, hasMore: true }
  await using client = await connect(completer(() => ({ completion })))

  expect((await client.complete(PROMPT, { name: 'a', value: '' })).completion).toEqual(completion)
})

requirement('completion:at-most-100', async ({ connect }) => {
  let count = 100
  const values = () => Array.from({ length: count }, (_value, index) => `v${index}`)
  await using client = await connect(completer(() => ({ completion: { values: values() } })))

  expect((await client.complete(PROMPT, { name: 'a', value: '' })).completion.values).toHaveLength(100)
  count = 101
  expect(await refusalOf(client.complete(PROMPT, { name: 'a', value: '' }))).toEqual({ code: -32603, local: false })
})

requirement('completion:capability', async ({ connect, version }) => {
  await using client = await connect(completer(() => NOTHING))

  const hasCapability = isVersionAtLeast(version, '2025-03-26')
  expect(client.serverCapabilities.completions).toEqual(hasCapability ? {} : undefined)
  expect((await client.complete(PROMPT, { name: 'a', value: '' })).completion.values).toEqual([])
})

requirement('completion:unknown-reference', async ({ connect }) => {
  const complete: Complete = () => {
    throw new MCPError(-32602, 'Unknown prompt')
  }
  await using client = await connect(completer(complete))

  expect(await refusalOf(client.complete(PROMPT, { name: 'a', value: '' }))).toEqual({ code: -32602, local: false })
})

requirement('completion:malformed', async ({ connect }) => {
  const complete = vi.fn(() => NOTHING)
  await using client = await connect(completer(complete))
  const ref = { type: 'ref/tool', name: 'x' } as unknown as typeof PROMPT
  const argument = { name: 'a' } as unknown as { name: string; value: string }

  expect(await refusalOf(client.complete(ref, { name: 'a', value: '' }))).toEqual({ code: -32602, local: false })
  expect(await refusalOf(client.complete(PROMPT, argument))).toEqual({ code: -32602, local: false })
  expect(complete).not.toHaveBeenCalled()
})

requirement('completion:not-offered', async ({ connect }) => {
  await using client = await connect(new Server('without'))

  expect(client.serverCapabilities.completions).toBeUndefined()
  expect(await refusalOf(client.complete(PROMPT, { name: 'a', value: '' }))).toEqual({ code: -32601, local: false })
})
