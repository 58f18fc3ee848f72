// Tools are listed in two forms, both made at registration: structured output is an object in one, anything in the other.
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { allowsAnyStructure } from '../../wire/revision-facts.ts'

/** What structured output may be. */
export type Structure = 'objects' | 'anything'

/** The same thing for each structure; often one and the same value. */
export type ByStructure<T> = { readonly [S in Structure]: T }

export function structureOf(version: ProtocolVersion): Structure {
  return allowsAnyStructure(version) ? 'anything' : 'objects'
}
