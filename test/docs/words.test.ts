// The words of the field, in everything that a person reads: the eras are legacy and modern, and no name needs a translation.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const OLD_ERAS = /\b(?:handshake|stateless)[ -](?:era|connection|client|server|revision|version|peer|mode)s?\b/i

/** Metaphors, and names that stood for a technical term. */
const METAPHORS =
  /\b(?:doors?|rooms|floors|house|riddles?|switchboard|setback|departure|furnish\w*|vouch\w*|babbl\w*|shake ?hands|beside ?the ?point|understand ?options|doubtful.definition|unless given)\b|[a-z](?:Door|Switchboard|Setback)\b/i

// Names of files wait for the files.
const IMPORT = /^(?:import|} from)\b/

// These repeat the words of others, or are written from the tests.
const EXEMPT =
  /^(?:test\/spec\/|docs\/project\/(?:spec-map|faults|conformance)\.md$|test\/docs\/(?:words|voice)\.test\.ts$|scripts\/docs-check\.js$)/

const folders = ['src', 'cli', 'packages', 'scripts', 'test', 'docs', 'examples', 'bench', 'fuzz'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
)
const files = ['README.md', 'CONTRIBUTING.md', ...folders].filter(
  (file) => /\.(?:ts|js|md)$/.test(file) && !file.includes('node_modules') && !EXEMPT.test(file),
)

function linesWith(words: RegExp, among: readonly string[]): string[] {
  return among.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap((line, index) =>
      words.test(line) && !IMPORT.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
    )
  })
}

describe('words', () => {
  it('the eras are called legacy and modern in sources, tests and documents', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(linesWith(OLD_ERAS, files)).toEqual([])
  })

  it('sources, programs and documents use no metaphors for modules and entry points', () => {
    const read = files.filter((file) => !/(?:^|\/)test\//.test(file))
    expect(read.length).toBeGreaterThan(500)
    expect(linesWith(METAPHORS, read)).toEqual([])
  })
})
