// The documents at hand and the references between them. References are followed, never inlined, and nothing is fetched here.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { OpenAPIError } from './openapi-error.ts'
import { MappingProblem } from './problem.ts'
import type { Survey } from './survey.ts'

/** One document: the one that was given, or one that it refers to. */
export interface LoadedDocument {
  /** What references are relative to; empty where that is not known. */
  readonly base: string
  readonly value: unknown
  readonly survey: Survey
}

/** A value with the document that it is in, which its own references are relative to. */
export interface Place {
  readonly value: unknown
  readonly document: LoadedDocument
  /** For messages. */
  readonly pointer: string
}

const MAX_HOPS = 50
/**
 * What operations share by reference is worked on for each of them, so that a small document could ask for any amount of work. It may be so
 * many parts, and so many more for each value that is written in the documents.
 */
const EFFORT = 500_000
const EFFORT_PER_VALUE = 4

export class Library {
  readonly root: LoadedDocument
  readonly #byBase = new Map<string, LoadedDocument>()
  readonly #known = new Map<LoadedDocument, Map<string, Place>>()
  #allowed = EFFORT
  #effort = 0

  constructor(root: LoadedDocument) {
    this.root = root
    this.add(root)
  }

  add(document: LoadedDocument): void {
    this.#allowed += EFFORT_PER_VALUE * document.survey.values
    if (document.base !== '') this.#byBase.set(document.base, document)
  }

  /** Counts parts that are worked on. Throws `OpenAPIError` where they are too many. */
  spend(parts: number): void {
    this.#effort += parts
    if (this.#effort <= this.#allowed) return
    throw new OpenAPIError(
      `The operations of the document have more than ${this.#allowed} parts, counted once for each operation that refers to them. ` +
        'Choose some of the operations with the option include.',
      '#/paths',
    )
  }

  has(base: string): boolean {
    return this.#byBase.has(base)
  }

  /** What the reference names. Throws `MappingProblem` where there is nothing; `at` is where the reference stands. */
  resolve(reference: string, from: LoadedDocument, at: string): Place {
    let known = this.#known.get(from)
    if (known === undefined) {
      known = new Map()
      this.#known.set(from, known)
    }
    const found = known.get(reference)
    if (found !== undefined) return found
    const place = this.#find(reference, from, at)
    known.set(reference, place)
    return place
  }

  /** Follows references of anything but a schema to what they name. Texts beside a reference count for what it names. */
  follow(place: Place): Place {
    let current = place
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const { value, document, pointer } = current
      const reference = ownMember(value, '$ref')
      if (typeof reference !== 'string') return current
      current = this.#withTexts(this.resolve(reference, document, pointer), value as object)
    }
    throw new MappingProblem(`The reference at ${place.pointer} leads in a circle.`, place.pointer)
  }

  /** OpenAPI 3.1: `summary` and `description` beside a reference replace those of its target. */
  #withTexts(place: Place, holder: object): Place {
    const { value } = place
    if (!isPlainObject(value)) return place
    const texts = Object.entries(holder).filter(([key]) => key === 'summary' || key === 'description')
    if (texts.length === 0) return place
    this.spend(Object.keys(value).length)
    return { ...place, value: { ...value, ...Object.fromEntries(texts) } }
  }

  #find(reference: string, from: LoadedDocument, at: string): Place {
    const hash = reference.indexOf('#')
    const uri = hash === -1 ? reference : reference.slice(0, hash)
    const fragment = hash === -1 ? '' : reference.slice(hash + 1)
    const holder = uri === '' ? { document: from, value: from.value } : this.#document(uri, from)
    if (holder === undefined) {
      throw new MappingProblem(
        `The reference ${show(reference)} leads to another document, which is not at hand. Pass it with the option resolve.`,
        at,
      )
    }
    const value = valueAt(holder, fragment)
    if (value === undefined) throw new MappingProblem(`The reference ${show(reference)} names nothing.`, at)
    return { value, document: holder.document, pointer: uri === '' ? reference : `${uri}#${fragment}` }
  }

  #document(uri: string, from: LoadedDocument): Omit<Place, 'pointer'> | undefined {
    const base = resolveUri(uri, from.base)
    const document = this.#byBase.get(base)
    if (document !== undefined) return { document, value: document.value }
    const inside = from.survey.ids.get(uri) ?? from.survey.ids.get(base)
    return inside === undefined ? undefined : { document: from, value: inside }
  }
}

/** The absolute form of a reference without its fragment; as it is where it cannot be had. */
export function resolveUri(uri: string, base: string): string {
  const plain = uri.split('#', 1)[0] as string
  if (base === '' || !URL.canParse(plain, base)) return plain
  return new URL(plain, base).href
}

function valueAt({ document, value }: Omit<Place, 'pointer'>, fragment: string): unknown {
  if (fragment === '') return value
  if (!fragment.startsWith('/')) return document.survey.anchors.get(decode(fragment))
  let current = value
  for (const token of decode(fragment).slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(current)) current = /^(?:0|[1-9]\d{0,8})$/.test(key) ? current[Number(key)] : undefined
    else current = ownMember(current, key)
  }
  return current
}

function decode(fragment: string): string {
  if (!fragment.includes('%')) return fragment
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function show(reference: string): string {
  return JSON.stringify(reference.length > 200 ? `${reference.slice(0, 200)}…` : reference)
}
