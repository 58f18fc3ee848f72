// Makes values from a JSON Schema: mostly valid ones, and nearly valid ones by small damage.
import fc from 'fast-check'
import { type JSONSchema, nameOfRef, type Published } from './published.ts'

const STRINGS = ['', 'a', 'text', 'file:///x', 'form', 'constructor', '\u2028']
const NUMBERS = [0, 1, 0.5, -1, 100, -0.25, 2 ** 53, 1e300]
const ANYTHING: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'other',
  'object',
  [],
  ['a'],
  [null],
  {},
  { a: {} },
  { type: 'text', text: 'x' },
  JSON.parse('{"__proto__":{"name":"x"},"constructor":1}'),
]

const anyValue = fc.constantFrom(...ANYTHING)

/** An arbitrary for any schema of one published document; a full one leaves out no member and no item. */
export function createMaker(published: Published, isFull = false): (schema: JSONSchema) => fc.Arbitrary<unknown> {
  const made = new Map<string, fc.Arbitrary<unknown> | 'under way'>()

  function makeNamed(name: string): fc.Arbitrary<unknown> {
    const known = made.get(name)
    // The one recursive definition is that of JSON itself.
    if (known === 'under way') return anyValue
    if (known !== undefined) return known
    made.set(name, 'under way')
    const arbitrary = make(published.definitions[name] ?? {})
    made.set(name, arbitrary)
    return arbitrary
  }

  function make(schema: JSONSchema): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return makeNamed(nameOfRef(schema.$ref))
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.allOf !== undefined) return makeAll(schema.allOf)
    if (schema.properties !== undefined) return makeObject(schema)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(make))
    if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => make({ ...schema, type })))
    return makeTyped(schema)
  }

  function makeAll(schemas: JSONSchema[]): fc.Arbitrary<unknown> {
    return fc.tuple(...schemas.map(make)).map((parts) => Object.assign({}, ...parts))
  }

  function makeTyped(schema: JSONSchema): fc.Arbitrary<unknown> {
    const { minimum = -Infinity, maximum = Infinity } = schema
    const numbers = NUMBERS.filter((number) => number >= minimum && number <= maximum)
    switch (schema.type) {
      case 'string':
        return fc.constantFrom(...STRINGS)
      case 'number':
        return fc.constantFrom(...numbers)
      case 'integer':
        return fc.constantFrom(...numbers.filter(Number.isInteger))
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'array':
        return makeArray(schema)
      case 'object':
        return makeObject(schema)
      default:
        return anyValue
    }
  }

  function makeArray({ items = {}, maxItems }: JSONSchema): fc.Arbitrary<unknown> {
    const few = fc.array(make(items), { minLength: isFull ? 1 : 0, maxLength: 2 })
    if (maxItems === undefined) return few
    const edge = fc.constantFrom(maxItems, maxItems + 1)
    return fc.oneof(
      few,
      fc.tuple(make(items), edge).map(([item, length]) => new Array(length).fill(item)),
    )
  }

  function makeObject({ properties = {}, required = [], additionalProperties }: JSONSchema): fc.Arbitrary<unknown> {
    const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, make(schema)]))
    const known = fc.record(members, { requiredKeys: isFull ? Object.keys(members) : required })
    const extra = typeof additionalProperties === 'object' ? make(additionalProperties) : anyValue
    const extras = fc.array(fc.tuple(fc.constantFrom('vendor', 'x-y', '__proto__'), extra), { maxLength: 1 })
    return fc.tuple(known, extras).map(([value, more]) => Object.fromEntries([...Object.entries(value), ...more]))
  }

  return make
}

interface Damage {
  readonly place: number
  readonly how: 'remove' | 'replace' | 'add'
  readonly value: unknown
}

const damage: fc.Arbitrary<Damage> = fc.record({
  place: fc.nat(10_000),
  how: fc.constantFrom('remove', 'replace', 'replace', 'add'),
  value: anyValue,
})

/** The same values; half of them damaged in one or two places, at any depth. */
export function damaged(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const damages = fc.oneof(fc.constant([]), fc.array(damage, { minLength: 1, maxLength: 2 }))
  return fc.tuple(values, damages).map(([value, list]) => list.reduce(inflict, copy(value)))
}

/** The value with each of its places damaged in turn, in every way we have. It is the same object each time. */
export function* everyDamage(original: unknown): Generator<unknown> {
  const value = copy(original)
  for (const { container, key } of placesOf(value)) {
    const { value: healthy } = Object.getOwnPropertyDescriptor(container, key) ?? {}
    for (const other of ANYTHING) {
      Object.defineProperty(container, key, { ...WRITABLE, value: other })
      yield value
    }
    if (!Array.isArray(container)) {
      delete container[key]
      yield value
    }
    Object.defineProperty(container, key, { ...WRITABLE, value: healthy })
  }
}

/** Keeps a member named __proto__ what it is. */
function copy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

type Container = Record<string, unknown> | unknown[]

function inflict(root: unknown, { place, how, value: original }: Damage): unknown {
  const value = copy(original)
  const places = placesOf(root)
  const chosen = places[place % places.length]
  if (chosen === undefined) return how === 'add' ? root : value
  const { container, key } = chosen
  if (Array.isArray(container)) {
    if (how === 'add') container.push(value)
    else container.splice(Number(key), 1, ...(how === 'replace' ? [value] : []))
  } else if (how === 'remove') delete container[key]
  else Object.defineProperty(container, how === 'add' ? 'added' : key, { ...WRITABLE, value })
  return root
}

const WRITABLE = { writable: true, enumerable: true, configurable: true }

function placesOf(value: unknown): { container: Container; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const container = value as Container
  return Object.entries(container).flatMap(([key, item]) => [{ container, key }, ...placesOf(item)])
}
