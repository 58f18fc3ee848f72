// npm run docs:check: the words of everything that a user reads, and the length of messages and sentences. Words in code are not checked.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from './lib/run.js'

/** Words that a reader has to translate, and praise. */
const BANNED =
  /\b(?:doors?|rooms?|houses?|floors?|insides|riddles?|asking|told|said|unless given|who may call|fast|faster|simple|simply|just|easily|easy|powerful)\b/i

/** The first sentence of a message says what happened. */
const MAX_FIRST_SENTENCE = 160

/** Most sentences are short: the mean of a page says so. A page with few sentences has no mean to speak of. */
const MAX_MEAN_WORDS = 18
const MIN_SENTENCES = 5

/** SQL and Lua. */
const CODE = /^src\/(?:postgres\/schema|redis\/scripts)\//

/** Written from tests, or the words of others. */
const EXEMPT = /^docs\/project\/(?:spec-map|faults|conformance)\.md$/

function filesIn(folder, fits) {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => fits(file) && !file.includes('node_modules'))
}

const read = (file) => readFileSync(new URL(file, root), 'utf8')

/** Blanks, so that lines and columns stay. */
const blank = (text) => text.replaceAll(/[^\n]/g, ' ')

/** A page without its code, the targets of its links and its comments. */
function prose(text) {
  return text
    .replaceAll(/```[\s\S]*?```/g, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
}

/** The comments of exported names and their members, without examples and code. */
function hoverTexts(text) {
  return prose(keepOnly(text, /\/\*\*[\s\S]*?\*\//g).replaceAll(/@example[\s\S]*?\*\//g, blank))
}

/** The texts in quotes of a file of sources, without comments and what is put into a template. */
function messages(text) {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, blank)
  return keepOnly(code, /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)
    .replaceAll(/\$\{[^}]*\}/g, blank)
    .replaceAll(/'[\w.:/@-]*'/g, blank)
}

function keepOnly(text, pattern) {
  let kept = ''
  let end = 0
  for (const match of text.matchAll(pattern)) {
    kept += blank(text.slice(end, match.index)) + match[0]
    end = match.index + match[0].length
  }
  return kept + blank(text.slice(end))
}

/** What is wrong in the texts of a file, by line. */
export function findWords(name, text, extract) {
  return extract(text)
    .split('\n')
    .flatMap((line, index) => {
      const found = BANNED.exec(line)
      return found === null ? [] : [`${name}:${index + 1}: "${found[0]}" in: ${text.split('\n')[index].trim()}`]
    })
}

/** Messages of errors whose first sentence is too long. Values that are put in count as ten characters. */
export function findLongMessages(name, text) {
  const problems = []
  for (const [, quoted] of text.matchAll(
    /(?:new \w*(?:Error|Failure|Lost)\(|\b(?:type|range)Error\(\s*'[\w-]+',|\borderError\()\s*((?:`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*')(?:\s*\+\s*(?:`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'))*)/g,
  )) {
    const message = quoted
      .replaceAll(/\$\{[^}]*\}/g, 'x'.repeat(10))
      .replaceAll(/['`]\s*\+\s*['`]/g, '')
      .slice(1, -1)
    const [first] = message.split(/(?<=[.;:])\s/)
    if (first.length > MAX_FIRST_SENTENCE)
      problems.push(`${name}: ${first.length} characters before the first full stop: ${first.slice(0, 80)}…`)
  }
  return problems
}

/** The sentences of a page, without headings, tables and code. A piece of code counts as one word, an item of a list as a sentence. */
function sentencesOf(text) {
  return text
    .replaceAll(/```[\s\S]*?```|<!--[\s\S]*?-->|^#.*$|^\s*\|.*$/gm, '\n\n')
    .replaceAll(/^\s*(?:[-*]|\d+\.)\s+/gm, '\n\n')
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.trim().split(/(?<=[.!?])\s+/))
    .filter((sentence) => /[a-z]/i.test(sentence))
}

/** A page whose sentences are too long on average, with the longest of them. */
export function findLongSentences(name, text) {
  const sentences = sentencesOf(text).map((sentence) => ({ sentence, words: sentence.match(/\S*\w\S*/g)?.length ?? 0 }))
  if (sentences.length < MIN_SENTENCES) return []
  const mean = sentences.reduce((sum, { words }) => sum + words, 0) / sentences.length
  if (mean <= MAX_MEAN_WORDS) return []
  const longest = sentences.reduce((a, b) => (b.words > a.words ? b : a))
  const shown = longest.sentence.replaceAll(/\s+/g, ' ').slice(0, 80)
  return [`${name}: ${mean.toFixed(1)} words in a sentence on average; the longest has ${longest.words}: ${shown}…`]
}

export function checkTexts({ withDeclarations = true } = {}) {
  const pages = [
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    ...filesIn('docs', (file) => file.endsWith('.md') && !EXEMPT.test(file)),
  ]
  const sources = [
    ...filesIn('src', (file) => file.endsWith('.ts') && !CODE.test(file)),
    ...filesIn('cli', (file) => file.endsWith('.ts') && !file.startsWith('cli/test/')),
  ]
  // What an editor shows: comments of private members and of inner names do not ship.
  const declarations =
    withDeclarations && existsSync(new URL('dist/types', root))
      ? filesIn('dist/types', (file) => file.endsWith('.d.ts'))
      : []
  return [
    ...pages.flatMap((file) => findWords(file, read(file), prose)),
    ...pages.flatMap((file) => findLongSentences(file, read(file))),
    ...sources.flatMap((file) => findWords(file, read(file), messages)),
    ...declarations.flatMap((file) => findWords(file, read(file), hoverTexts)),
    ...sources.flatMap((file) => findLongMessages(file, read(file))),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A check of the sources must not depend on an old build.
  const problems = checkTexts({ withDeclarations: !process.argv.includes('--sources') })
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    console.error(`${problems.length} texts do not follow the voice guide. Rewrite the sentences.`)
    process.exitCode = 1
  }
}
