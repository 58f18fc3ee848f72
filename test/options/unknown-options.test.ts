// An option that nobody knows is refused by everything that takes options, with the option that was meant.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OPTION_LISTS, UNCHECKED_TYPES } from './option-lists.ts'
import { TAKES_OPTIONS, WITHOUT_OPTIONS } from './takers.ts'

type ListName = keyof typeof OPTION_LISTS

const FOLDER = new URL('../../src/exports/', import.meta.url)
const entryPoints = readdirSync(FOLDER, { encoding: 'utf8', recursive: true }).filter(
  (file) => file.endsWith('.ts') && file !== 'stdio-guard.ts',
)

/** Functions and classes, by the entry point that has them; the types of the protocol come with guards alone. */
async function exportedFunctions(): Promise<string[]> {
  const names = new Set<string>()
  for (const file of entryPoints.filter((entry) => entry !== 'types.ts')) {
    const entryPoint = (await import(new URL(file, FOLDER).href)) as Record<string, unknown>
    for (const [name, value] of Object.entries(entryPoint)) {
      const isError = typeof value === 'function' && value.prototype instanceof Error
      if (typeof value === 'function' && !isError) names.add(name)
    }
  }
  return [...names].sort()
}

function exportedOptionTypes(): string[] {
  const names = new Set<string>()
  for (const file of entryPoints) {
    const source = readFileSync(new URL(file, FOLDER), 'utf8')
    for (const [, all, list = ''] of source.matchAll(/export (type )?\{([^}]*)\}/g)) {
      for (const item of list.split(',').map((part) => part.trim())) {
        if (all === undefined && !item.startsWith('type ')) continue
        const name = item.replace(/^type /, '')
        if (/(?:Options|Config|Settings|Target|Paths|Details|Times|Limits|Hints?)$/.test(name)) names.add(name)
      }
    }
  }
  return [...names].sort()
}

describe('unknown options', () => {
  it('are looked for by every exported function that takes options', async () => {
    const known = [...Object.values(TAKES_OPTIONS).map(({ of }) => of), ...Object.values(WITHOUT_OPTIONS).flat()]
    expect(await exportedFunctions()).toEqual([...new Set(known)].sort())
  })

  it('are looked for in every option type that is exported', () => {
    const exempt = Object.values(UNCHECKED_TYPES).flat()
    const extra = new Set(['IdentityProvider', 'PreRegisteredClient', 'MemoryChannelOptions', 'SubscriptionBusOptions'])
    const listed = Object.keys(OPTION_LISTS).filter((name) => !extra.has(name))
    expect(exportedOptionTypes()).toEqual([...listed, ...exempt].sort())
  })

  it('are looked for in every list, by some function', () => {
    const used = new Set(Object.values(TAKES_OPTIONS).flatMap(({ lists }) => lists))
    const parts = new Set<string>([
      'HandshakeOptions',
      'LegacyOptions',
      'NetworkOptions',
      'ProviderOptions',
      'RedirectOptions',
    ])
    const unused = Object.keys(OPTION_LISTS).filter((name) => !used.has(name as ListName) && !parts.has(name))
    expect(unused).toEqual(['InteractionOptions', 'TracingOptions'])
  })

  for (const [title, { lists, call }] of Object.entries(TAKES_OPTIONS)) {
    it(`of ${title} are a TypeError that names the nearest known one`, async () => {
      const [list] = lists
      const keys = Object.keys(OPTION_LISTS[list])
      expect(keys).not.toEqual([])
      for (const key of keys) {
        const failure = await attempt(call, { [`${key}z`]: 1 })
        expect(failure, key).toBeInstanceOf(TypeError)
        expect((failure as Error).message, key).toMatch(
          new RegExp(`Unknown option "${key}z" for .+\\. The nearest known option is "${key}"\\.`),
        )
      }
    })
  }
})

async function attempt(call: (options: object) => unknown, options: object): Promise<unknown> {
  try {
    await call(options)
    return undefined
  } catch (error) {
    return error
  }
}
