// Tools that yield: each item is reported as progress on its way into the result.
import type { Context } from './context.ts'
import { isContentBlock } from './results.ts'

type AnyIterator = AsyncIterator<unknown, unknown> | Iterator<unknown, unknown>

/** Whether this yields items one by one. Lists, maps and other collections do not: they have all of theirs already. */
export function isIterator(value: unknown): value is AnyIterator | AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false
  if (Symbol.asyncIterator in value) return true
  return Symbol.iterator in value && typeof (value as { next?: unknown }).next === 'function'
}

/**
 * Reports items as they come, numbered, with their text as the message. The value is what the iterator returns in the end
 * or, if it returns nothing, the list of its items. Closes it when the call is aborted or an item cannot be told of.
 */
export async function collectItems(source: AnyIterator | AsyncIterable<unknown>, ctx: Context): Promise<unknown> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source
  const { signal } = ctx
  const items: unknown[] = []
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true) return value === undefined ? items : value
    try {
      items.push(value)
      await ctx.reportProgress(items.length, undefined, textOf(value))
      signal.throwIfAborted()
    } catch (error) {
      await close(iterator)
      throw error
    }
  }
}

/** As a loop does that is left early: why it was left counts more than what fails on the way out. */
async function close(iterator: AnyIterator): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // See above.
  }
}

/** Pictures and sounds have none. */
function textOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item
  if (isContentBlock(item)) return item.type === 'text' ? item.text : undefined
  return JSON.stringify(item)
}
