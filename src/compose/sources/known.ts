// Components that are known without a request, whoever may see them: for checks of what transforms were given.
import type { Component, ListMethod, Source } from '../../server/source.ts'

export interface KnowsComponents {
  known(list: ListMethod, key: string): Component | undefined
}

/** `undefined` where the source has no such component, or nobody knows it before a request. */
export function knownComponent(source: Source, list: ListMethod, key: string): Component | undefined {
  return (source as Partial<KnowsComponents>).known?.(list, key)
}
