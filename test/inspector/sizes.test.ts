// The sizes of the built page, and what it is made of.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
// @ts-expect-error the script is plain JavaScript, so that it runs before anything is installed
import { findPageProblems } from '../../scripts/check-page.js'
import { FILES } from './support.ts'

const read = (name: string) => readFileSync(new URL(name, FILES))
const zipped = (name: string) => gzipSync(read(name), { level: 9 }).length

it('inspector: app.js has at most 45 KB and app.css at most 8 KB after gzip, and all files at most 180 KB', () => {
  expect(zipped('app.js')).toBeLessThanOrEqual(45_000)
  expect(zipped('app.css')).toBeLessThanOrEqual(8_000)
  const all = readdirSync(FILES).filter((name) => name !== 'licences.txt')
  expect(all.sort()).toEqual(['app.css', 'app.js', 'index.html'])
  expect(all.reduce((sum, name) => sum + read(name).length, 0)).toBeLessThanOrEqual(180_000)
})

it('inspector: the check of the page finds markup and code made of text, storage, and what is loaded from elsewhere', () => {
  for (const line of [
    'element.innerHTML = text',
    '<div dangerouslySetInnerHTML={{ __html: text }} />',
    'frame.srcdoc = text',
    'eval(text)',
    "localStorage.setItem('a', 'b')",
    '<img src="https://example.com/a.png" />',
    '<p style="color:red">',
  ]) {
    expect(findPageProblems('page.tsx', line)).toHaveLength(1)
  }
  expect(findPageProblems('page.tsx', '<img src={source} alt="" />')).toEqual([])
})
