// What an operation answers with: the types that are asked for, and the schema of a success.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Place } from '../document/library.ts'
import { type Members, objectAt, pointerTo } from '../document/members.ts'
import type { ParameterScope } from '../input/parameters.ts'
import { essenceOf, isMediaType, kindOf } from '../request/media-types.ts'
import { closeOver } from '../schemas/closure.ts'

export interface FoundAnswer {
  /** The value of the `Accept` header. */
  readonly accept: string
  /** The schema of a JSON answer, with its definitions. */
  readonly output: Members | undefined
  /** Whether an answer of this status is the one that the schema describes. */
  readonly isDescribed: (status: number) => boolean
}

const FIRST = ['200', '201', '202', '203']
const MAX_TYPES = 6

/** 200, 201, 202, 203, another 2xx, `2XX`, `default`: the first that the document has. */
function chooseStatus(responses: Members): string | undefined {
  const others = Object.keys(responses).filter((key) => /^2\d\d$/.test(key))
  return [...FIRST, ...others, '2XX', '2xx', 'default'].find((key) => Object.hasOwn(responses, key))
}

export function findAnswer(scope: ParameterScope, operation: Place): FoundAnswer {
  const responses = objectAt(operation.value, 'responses')
  const status = chooseStatus(responses)
  if (status === undefined) return { accept: ANY, output: undefined, isDescribed: () => false }
  const place = scope.library.follow({
    value: responses[status],
    document: operation.document,
    pointer: pointerTo(operation.pointer, 'responses', status),
  })
  const content = objectAt(place.value, 'content')
  const types = Object.keys(content).filter(isMediaType)
  scope.library.spend(types.length + Object.keys(responses).length)
  const json = types.find((type) => kindOf(type) === 'json')
  const isDescribed = (actual: number) => {
    if (/^\d+$/.test(status)) return actual === Number(status)
    return status === 'default' ? !Object.hasOwn(responses, String(actual)) : actual >= 200 && actual < 300
  }
  return { accept: acceptOf(types), output: json === undefined ? undefined : schemaOf(scope, place, json), isDescribed }
}

const ANY = 'application/json, */*;q=0.5'

/** JSON first, and anything else rather than nothing. */
function acceptOf(types: readonly string[]): string {
  const wanted = [...new Set(types.map(essenceOf))].filter((type) => !type.includes('*')).slice(0, MAX_TYPES)
  const json = wanted.filter((type) => kindOf(type) === 'json')
  const others = wanted
    .filter((type) => kindOf(type) !== 'json')
    .map((type) => (json.length > 0 ? `${type};q=0.8` : type))
  return wanted.length === 0 ? ANY : [...json, ...others, '*/*;q=0.5'].join(', ')
}

function schemaOf(scope: ParameterScope, { value, document, pointer }: Place, type: string): Members | undefined {
  const at = pointerTo(pointer, 'content', type)
  const media = scope.library.follow({ value: objectAt(value, 'content')[type], document, pointer: at })
  const schema = ownMember(media.value, 'schema')
  if (!isPlainObject(schema)) return undefined
  const place = { value: schema, document: media.document, pointer: pointerTo(media.pointer, 'schema') }
  const { converter } = scope
  const converted = converter.convert(place, 'output')
  const { definitions } = closeOver(converter, 'output', [converted])
  if (!isPlainObject(converted.schema)) return undefined
  const { value: target } = converter.follow(place)
  const type_ = ownMember(converted.schema, 'type') ?? ownMember(target, 'type')
  // A list of tools says what kind a result is, also where that stands in a definition.
  const kind =
    type_ === 'object' || (type_ === undefined && isPlainObject(ownMember(target, 'properties')))
      ? { type: 'object' }
      : {}
  return { ...kind, ...converted.schema, ...(definitions !== undefined && { $defs: definitions }) }
}
