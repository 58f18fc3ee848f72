// docs D10: what a user reads has no word of the list, and messages say what happened in a short first sentence.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const script = new URL('../../scripts/docs-check.js', import.meta.url)
const { findLongMessages, findLongSentences, findWords } = (await import(/* @vite-ignore */ script.href)) as {
  findLongMessages(name: string, text: string): string[]
  findLongSentences(name: string, text: string): string[]
  findWords(name: string, text: string, extract: (text: string) => string): string[]
}

describe('docs D10: the voice of pages, help, messages and hover texts', () => {
  it('has no word of the list in pages, help texts, messages and shipped declarations', () => {
    expect(execFileSync(process.execPath, [fileURLToPath(script)], { encoding: 'utf8' })).toBe('')
  })

  it('finds a word that a reader has to translate, and praise', () => {
    const whole = (text: string) => text
    expect(findWords('a.md', 'The client is told why.\nIt is a fast server.', whole)).toHaveLength(2)
    expect(findWords('a.md', 'The client gets the reason.', whole)).toEqual([])
  })

  it('finds a message whose first sentence is too long', () => {
    const long = `throw new TypeError('${'word '.repeat(40)}')`
    expect(findLongMessages('a.ts', long)).toHaveLength(1)
    expect(findLongMessages('a.ts', "throw new TypeError('The port is in use. Choose another one.')")).toEqual([])
  })

  it('finds a message whose first sentence is too long, however the error is made', () => {
    const long = 'word '.repeat(40)
    expect(findLongMessages('a.ts', `throw typeError(\n  'wrong-option',\n  '${long}',\n)`)).toHaveLength(1)
    expect(findLongMessages('a.ts', `throw orderError('${long}')`)).toHaveLength(1)
  })

  it('finds a page whose sentences have more than 18 words on average, whatever stands in its code and tables', () => {
    const sentence = (words: number) => `${'word '.repeat(words - 1)}word.`
    const page = (words: number) => Array.from({ length: 6 }, () => sentence(words)).join(' ')
    expect(findLongSentences('a.md', page(18))).toEqual([])
    expect(findLongSentences('a.md', page(19))).toEqual([expect.stringContaining('19.0 words')])
    const code = `\`\`\`ts\n${sentence(300)}\n\`\`\`\n\n| ${sentence(300)} |\n\n# ${sentence(300)}\n\n${page(10)}`
    expect(findLongSentences('a.md', code)).toEqual([])
  })
})
