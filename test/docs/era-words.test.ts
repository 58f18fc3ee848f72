// The eras have two words, legacy and modern, in everything that a person reads.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const OLD_WORDS = /\b(?:handshake|stateless)[ -](?:era|connection|client|server|revision|version|peer|mode)s?\b/i

// Names of files wait for the files.
const IMPORT = /^(?:import|} from)\b/

// These repeat the words of others, or are written from the tests.
const EXEMPT = /^(?:test\/spec\/|docs\/(?:spec-map|faults|conformance)\.md$|test\/docs\/era-words\.test\.ts$)/

describe('the eras', () => {
  it('are called legacy and modern in sources, tests and documents', () => {
    const folders = ['src', 'cli', 'packages', 'test', 'docs', 'examples'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    const files = ['README.md', 'CONTRIBUTING.md', ...folders].filter(
      (file) => /\.(?:ts|js|md)$/.test(file) && !EXEMPT.test(file),
    )
    expect(files.length).toBeGreaterThan(500)
    const found = files.flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n')
      return lines.flatMap((line, index) =>
        OLD_WORDS.test(line) && !IMPORT.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      )
    })
    expect(found).toEqual([])
  })
})
