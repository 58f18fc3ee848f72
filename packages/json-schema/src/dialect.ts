// The dialects: which keywords a schema has, by what its `$schema` says.

import { SchemaError } from './engine/errors.ts'
import { quote } from './engine/issue.ts'
import type { JSONSchemaObject } from './engine/json-schema.ts'
import { type DialectName, isPlainObject } from './engine/json-schema.ts'
import type { Keyword, Vocabulary } from './engine/keyword.ts'
import {
  ITEMS_2020_12,
  ITEMS_DRAFT_07,
  OBJECTS,
  ONLY_2020_12,
  REFERENCES_2020_12,
  REFERENCES_DRAFT_07,
  SHARED,
} from './keywords/facts.ts'

export interface Dialect {
  readonly name: DialectName
  readonly keywords: ReadonlyMap<string, Keyword>
  /** Draft-07: beside `$ref` no other keyword counts, and an `$id` may be `#name` alone. */
  readonly referenceStandsAlone: boolean
  /** The meta-schema asks for the format-assertion vocabulary. */
  readonly assertsFormats: boolean
}

const DRAFT_2020_12: Dialect = {
  name: '2020-12',
  keywords: byName([...REFERENCES_2020_12, ...SHARED, ...ITEMS_2020_12, ...OBJECTS, ...ONLY_2020_12]),
  referenceStandsAlone: false,
  assertsFormats: false,
}

const DRAFT_07: Dialect = {
  name: 'draft-07',
  keywords: byName([...REFERENCES_DRAFT_07, ...SHARED, ...ITEMS_DRAFT_07, ...OBJECTS]),
  referenceStandsAlone: true,
  assertsFormats: false,
}

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { '2020-12': DRAFT_2020_12, 'draft-07': DRAFT_07 }

/** Whether any dialect has a keyword of this name. */
export function isKeyword(name: string): boolean {
  return DRAFT_2020_12.keywords.has(name) || DRAFT_07.keywords.has(name)
}

const DIALECT_URIS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', DRAFT_2020_12],
  ['json-schema.org/draft-07/schema', DRAFT_07],
])

const VOCABULARY_BASE = 'https://json-schema.org/draft/2020-12/vocab/'

// Those that only annotate have no keyword here, and asking for them changes nothing.
const VOCABULARIES: ReadonlyMap<string, Vocabulary | undefined> = new Map([
  [`${VOCABULARY_BASE}core`, 'core'],
  [`${VOCABULARY_BASE}applicator`, 'applicator'],
  [`${VOCABULARY_BASE}unevaluated`, 'unevaluated'],
  [`${VOCABULARY_BASE}validation`, 'validation'],
  [`${VOCABULARY_BASE}format-annotation`, 'format'],
  [`${VOCABULARY_BASE}format-assertion`, 'format'],
  [`${VOCABULARY_BASE}content`, undefined],
  [`${VOCABULARY_BASE}meta-data`, undefined],
])

// A meta-schema has a meta-schema; a chain of them longer than this leads nowhere.
const MAX_META_SCHEMAS = 8

export function dialectNamed(name: DialectName): Dialect {
  return DIALECTS[name]
}

/** Finds the dialect that `$schema` names; `findDocument` knows the meta-schemas that the caller gave. */
export function dialectFor(
  uri: string,
  fallback: Dialect,
  findDocument: (uri: string) => JSONSchemaObject | undefined,
  chain = 0,
): Dialect {
  const known = DIALECT_URIS.get(uri.replace(/^https?:\/\//, '').replace(/#$/, ''))
  if (known !== undefined) return known
  const metaSchema = chain < MAX_META_SCHEMAS ? findDocument(uri) : undefined
  if (metaSchema === undefined) throw unknownDialect(uri)
  const { $schema, $vocabulary } = metaSchema
  const base = typeof $schema === 'string' ? dialectFor($schema, fallback, findDocument, chain + 1) : fallback
  return restrict(base, $vocabulary)
}

function unknownDialect(uri: string): SchemaError {
  return new SchemaError(
    `the dialect ${quote(uri)} is not known; use https://json-schema.org/draft/2020-12/schema or ` +
      'http://json-schema.org/draft-07/schema#, or give the meta-schema in the option "documents"',
    '#/$schema',
  )
}

/** JSON Schema Core 8.1.2: a meta-schema lists the vocabularies in use, and `true` means one cannot do without. */
function restrict(dialect: Dialect, vocabularies: unknown): Dialect {
  if (!isPlainObject(vocabularies) || dialect.name !== '2020-12') return dialect
  const used = new Set<Vocabulary | undefined>(['core'])
  for (const [uri, isRequired] of Object.entries(vocabularies)) {
    if (VOCABULARIES.has(uri)) used.add(VOCABULARIES.get(uri))
    else if (isRequired === true) throw new SchemaError(`the vocabulary ${quote(uri)} is required and not known`)
  }
  return {
    ...dialect,
    keywords: byName([...dialect.keywords.values()].filter(({ vocabulary }) => used.has(vocabulary))),
    assertsFormats: Object.hasOwn(vocabularies, `${VOCABULARY_BASE}format-assertion`),
  }
}

function byName(keywords: readonly Keyword[]): ReadonlyMap<string, Keyword> {
  return new Map(keywords.map((keyword) => [keyword.name, keyword]))
}
