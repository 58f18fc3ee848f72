// The lists whose names must not be taken when something is mounted.
import type { ListMethod } from '../../server/source.ts'

export type NamedList = Extract<ListMethod, 'tools/list' | 'prompts/list'>

export const NAMED_LISTS: readonly NamedList[] = ['tools/list', 'prompts/list']

/** `tool` or `prompt`, for messages. */
export function kindOf(list: NamedList): string {
  return list.slice(0, list.indexOf('s/'))
}
