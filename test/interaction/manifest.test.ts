// Holds the manifest against the tests: an entry without a test fails, and so does a test without an entry.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { requirements, TABLES } from './requirements/index.ts'

const folder = new URL('.', import.meta.url)
const tested = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && file !== 'manifest.test.ts')
  .flatMap((file) => [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\brequirement\(\s*'([^']+)'/g)])
  .map((match) => match[1])

describe('the manifest', () => {
  it('has no id twice', () => {
    const ids = TABLES.flatMap((table) => Object.keys(table))
    expect(ids.length).toBe(new Set(ids).size)
  })

  it('has a test for each entry, and an entry for each test', () => {
    const entries = Object.entries(requirements)
    const expected = entries.filter(([, { waitsFor }]) => waitsFor === undefined).map(([id]) => id)
    expect([...tested].sort()).toEqual(expected.sort())
  })

  it('gives a source and a sentence for each', () => {
    for (const [id, { source, text }] of Object.entries(requirements)) {
      expect(source, id).not.toBe('')
      expect(text, id).toMatch(/^[A-Z`'].*\.$/s)
    }
  })
})
