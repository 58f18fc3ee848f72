// Paths, URIs and digests, for any text: nothing leads out of the folder of a skill.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, toContents } from '../../../../src/extensions/skills/format/contents.ts'
import { digestOf, fingerprintOf, isDigest } from '../../../../src/extensions/skills/format/digest.ts'
import { findEntryFlaw, isSameJSON } from '../../../../src/extensions/skills/format/entry.ts'
import {
  decodeReference,
  findFilePathFlaw,
  folderOf,
  nameIn,
  pathIn,
  readingsOf,
  uriOf,
} from '../../../../src/extensions/skills/format/skill-uri.ts'

const FOLDER = 'skill://acme/refunds'
/** Texts in which ways out are frequent. */
const piece = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '/',
    '%2e%2e',
    '%2F',
    '%5c',
    '\\',
    '%00',
    '\0',
    '#',
    '?',
    ':',
    '//',
    'a',
    ' ',
    '%',
    'é',
    '\ud800',
  ),
  fc.string({ maxLength: 4 }),
)
const reference = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
const path = reference.filter((text) => findFilePathFlaw(text) === undefined)

function isInside(uri: string): boolean {
  const { href } = new URL(uri)
  return uri.startsWith(`${FOLDER}/`) && href.startsWith(`${FOLDER}/`) && !/%2f|%5c|%00/i.test(uri.slice(FOLDER.length))
}

describe('addresses of skills', () => {
  it('skills K-26: whatever a reference says, it names a file in the folder or nothing', () => {
    fc.assert(
      fc.property(reference, (text) => {
        const readings = [...readingsOf(text), decodeReference(text)].filter((found) => found !== undefined)
        for (const found of readings) {
          if (found !== '') expect(isInside(uriOf(FOLDER, found))).toBe(true)
          expect(found.split('/')).not.toContain('..')
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('skills K-15: a path without flaws has a URI in the folder, and comes back from it', () => {
    fc.assert(
      fc.property(path, (text) => {
        const uri = uriOf(FOLDER, text)
        expect(new URL(uri).href.startsWith(`${FOLDER}/`)).toBe(true)
        expect(pathIn(FOLDER, uri)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('skills K-20: a path that a server can serve means itself first, also one that looks like a URI', () => {
    fc.assert(
      fc.property(path, (text) => {
        expect(readingsOf(text)[0]).toBe(text)
      }),
      { numRuns: 2_000, examples: [['a:b'], ['file:/etc/passwd'], ['C:/x'], ['a#b'], ['a%2fb']] },
    )
  })

  it('skills K-20: whatever a server lists, a URI has a path in the folder or none', () => {
    fc.assert(
      fc.property(reference, (text) => {
        const found = pathIn(FOLDER, `${FOLDER}/${text}`)
        if (found === undefined) return
        expect(findFilePathFlaw(found)).toBeUndefined()
        expect(new URL(`${FOLDER}/${text}`).href.startsWith(`${FOLDER}/`)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('skills K-21: no text makes the check of an entry fail or find a skill where none can be', () => {
    fc.assert(
      fc.property(reference, fc.jsonValue(), fc.jsonValue(), (text, frontmatter, resources) => {
        const uri = `skill://${text}/SKILL.md`
        const flaw = findEntryFlaw({ uri, frontmatter, resources })
        expect(flaw === undefined || flaw.length > 0).toBe(true)
        const folder = folderOf(uri)
        if (folder !== undefined) expect(nameIn(folder)).not.toMatch(/^\.\.?$/)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('digests of skills', () => {
  it('skills K-07: any bytes come back from their contents as they were, so that their digest holds', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
      fc.string().map((text) => new TextEncoder().encode(`\uFEFF${text}`)),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (original) => {
        const contents = JSON.parse(JSON.stringify(toContents('skill://x/f', 'f', original))) as ReturnType<
          typeof toContents
        >
        const back = bytesOf(contents)
        expect(back).toEqual(original)
        const digest = await digestOf(back as Uint8Array)
        expect(isDigest(digest)).toBe(true)
        expect(digest).toBe(`sha256:${createHash('sha256').update(original).digest('hex')}`)
      }),
    )
  })

  it('a fingerprint is the same in any order, and another one when a URI or digest differs', async () => {
    const list = fc.uniqueArray(fc.record({ uri: fc.string(), digest: fc.string(), size: fc.nat() }), {
      selector: ({ uri }) => uri,
      minLength: 1,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(list, async (resources) => {
        const fingerprint = await fingerprintOf(resources)
        expect(await fingerprintOf([...resources].reverse())).toBe(fingerprint)
        const [first, ...rest] = resources
        expect(await fingerprintOf([{ ...first!, digest: `${first!.digest}x` }, ...rest])).not.toBe(fingerprint)
        expect(await fingerprintOf(rest)).not.toBe(fingerprint)
      }),
    )
  })

  it('skills K-19: JSON values are the same whatever the order of their members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(isSameJSON(a, reversed(a))).toBe(true)
        if (isSameJSON(a, b)) expect(reversedText(a)).toBe(reversedText(b))
      }),
    )
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

/** With members in the order of their names. */
function reversedText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : Object.is(member, -0)
        ? 0
        : member,
  )
}
