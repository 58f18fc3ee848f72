// Finds tools by words: BM25 over each field by itself, names before descriptions.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

const K1 = 1.2
const B = 0.75
/** A word of the name says more than one of the description. */
const FIELDS = [
  { weight: 3, wordsOf: (tool: Tool) => wordsOf(tool.name) },
  { weight: 2, wordsOf: (tool: Tool) => wordsOf(tool.title ?? tool.annotations?.title ?? '') },
  { weight: 1, wordsOf: (tool: Tool) => wordsOf(tool.description ?? '') },
  { weight: 0.5, wordsOf: (tool: Tool) => argumentWords(tool.inputSchema, 0) },
] as const
const MAX_WORDS = 2_000
const MAX_ARGUMENT_DEPTH = 3

interface FieldIndex {
  readonly weight: number
  /** By word: which tools have it, and how often. */
  readonly postings: Map<string, Map<number, number>>
  readonly lengths: number[]
  meanLength: number
}

export class SearchIndex {
  readonly #tools: readonly Tool[]
  readonly #fields: readonly FieldIndex[]
  readonly #byName: ReadonlyMap<string, number>

  constructor(tools: readonly Tool[]) {
    this.#tools = tools
    this.#byName = new Map(tools.map(({ name }, at) => [name.toLowerCase(), at]))
    this.#fields = FIELDS.map(({ weight, wordsOf: read }) => indexField(weight, tools, read))
  }

  /** The best first; equal ones in the order of the list. A tool whose name is the query comes before all. */
  search(query: string, limit: number): Tool[] {
    const scores = new Map<number, number>()
    for (const word of new Set(wordsOf(query).map(stem)))
      for (const field of this.#fields) this.#addScores(field, word, scores)
    const exact = this.#byName.get(query.trim().toLowerCase())
    if (exact !== undefined) scores.set(exact, Number.POSITIVE_INFINITY)
    return [...scores]
      .toSorted(([a, one], [b, other]) => other - one || a - b)
      .slice(0, limit)
      .map(([at]) => this.#tools[at] as Tool)
  }

  #addScores({ weight, postings, lengths, meanLength }: FieldIndex, word: string, scores: Map<number, number>): void {
    const posting = postings.get(word)
    if (posting === undefined) return
    const idf = Math.log(1 + (this.#tools.length - posting.size + 0.5) / (posting.size + 0.5))
    for (const [at, count] of posting) {
      const norm = K1 * (1 - B + (B * (lengths[at] ?? 0)) / (meanLength || 1))
      scores.set(at, (scores.get(at) ?? 0) + (weight * idf * (count * (K1 + 1))) / (count + norm))
    }
  }
}

/** An index for each list of tools that is searched: the same pages have the same one. */
export class SearchIndexes {
  /** By the first of the pages that they were made of. */
  readonly #indexes = new WeakMap<object, { pages: readonly object[]; index: SearchIndex }>()

  of(pages: readonly object[]): SearchIndex {
    const [first] = pages
    const known = first && this.#indexes.get(first)
    if (known?.pages.length === pages.length && known.pages.every((page, at) => page === pages[at])) return known.index
    const index = new SearchIndex(pages.flatMap((page) => (page as { tools?: readonly Tool[] }).tools ?? []))
    if (first !== undefined) this.#indexes.set(first, { pages, index })
    return index
  }
}

function indexField(weight: number, tools: readonly Tool[], read: (tool: Tool) => string[]): FieldIndex {
  const postings = new Map<string, Map<number, number>>()
  const lengths = tools.map((tool, at) => {
    const words = read(tool).slice(0, MAX_WORDS)
    for (const word of words) {
      const stemmed = stem(word)
      const posting = postings.get(stemmed) ?? new Map<number, number>()
      posting.set(at, (posting.get(at) ?? 0) + 1)
      postings.set(stemmed, posting)
    }
    return words.length
  })
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length)
  return { weight, postings, lengths, meanLength }
}

const WORD = /[\p{L}\p{N}]+/gu
const HUMP = /(\p{Ll}|\p{N})(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by for from in is it its of on or that the this to with'.split(' '),
)

/** In lower case: `getUser_byID` has the words get, user, id. */
export function wordsOf(text: string): string[] {
  const spaced = text.slice(0, 20_000).replace(HUMP, '$1$3 $2$4')
  const words = spaced.toLowerCase().match(WORD) ?? []
  return words.filter((word) => !STOP_WORDS.has(word))
}

/** Light English stemming: what is left need not be a word. */
export function stem(word: string): string {
  let stemmed = word
  if (stemmed.length > 4 && stemmed.endsWith('ies')) stemmed = `${stemmed.slice(0, -3)}y`
  else if (stemmed.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(stemmed)) stemmed = stemmed.slice(0, -2)
  else if (stemmed.length > 3 && stemmed.endsWith('s') && !/(?:ss|us|is)$/.test(stemmed)) stemmed = stemmed.slice(0, -1)
  if (stemmed.length > 5 && stemmed.endsWith('ing')) stemmed = undouble(stemmed.slice(0, -3))
  else if (stemmed.length > 4 && stemmed.endsWith('ed')) stemmed = undouble(stemmed.slice(0, -2))
  return stemmed.length > 3 && stemmed.endsWith('e') ? stemmed.slice(0, -1) : stemmed
}

function undouble(word: string): string {
  return /([^lsz])\1$/.test(word) ? word.slice(0, -1) : word
}

function argumentWords(schema: JSONObject, depth: number): string[] {
  const { properties } = schema
  if (!isPlainObject(properties) || depth > MAX_ARGUMENT_DEPTH) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    const words = wordsOf(name)
    if (!isPlainObject(property)) return words
    const { description } = property
    return [
      ...words,
      ...(typeof description === 'string' ? wordsOf(description) : []),
      ...argumentWords(property, depth + 1),
    ]
  })
}
