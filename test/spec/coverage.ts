// Which rows of the checklist, the fault table and the regression list the tests name, and where.
import { readdirSync, readFileSync } from 'node:fs'
import { requirements } from '../interaction/requirements/index.ts'
import extensions from './extensions.json' with { type: 'json' }

/** Where a row is shown: a test file with the name of the test, or an entry of the manifest. */
export interface Evidence {
  readonly file: string
  readonly title: string
}

/** The folders with tests; a file of the first is named without the folder. */
const FOLDERS = ['test', 'cli/test', 'packages/json-schema/test']
const root = new URL('../../', import.meta.url)
const QUOTED = /(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/.source
/** After the name of the function, or after the parentheses of `it.each` and its like. */
const TITLE = new RegExp(String.raw`(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*${QUOTED}\s*,`, 'g')
const ROW = /\b(?:[BCS]-[A-Z]+-\d{2}|[DF]\d{3}|R\d{2})\b/g
/** Rows of extensions: `tasks T-01, T-02 and L-03`. Ids of other documents look alike, so that the word before them counts. */
const EXTENSION_ROWS = /\b(tasks|apps|skills) ([TLAK]-\d{2}(?:(?:,| and|, and)? [TLAK]-\d{2})*)/g
/** Rows of the design of what is composed of servers: `compose G010`, `compose O01–O06`. */
const COMPOSE_ROWS =
  /\bcompose ([KNPAGOTX]\d{2,3}(?:[–-][KNPAGOTX]?\d{2,3})?(?:,? (?:and )?[KNPAGOTX]\d{2,3}(?:[–-][KNPAGOTX]?\d{2,3})?)*)/g
const COMPOSE_ROW = /([KNPAGOTX])(\d{2,3})(?:[–-]\1?(\d{2,3}))?/g
const RANGE = /\b([DFR])(\d{2,3})[–-]\1?(\d{2,3})\b/g

/** `D007 (redis)`, `D034, D040 (postgres)`: rows with the engine on which a test shows them. */
const ON_ENGINES = /((?:D\d{3}(?:, )?)+) \(((?:memory|sqlite|redis|postgres|nats|bullmq)(?:, \w+)*)\)/g

/** Cases that every engine has to pass, by their names. */
const CONTRACT = 'src/testing/backend-contract/'
const CASE = /^ {2}'(D\d{3}: .+?)': /gm
/** Where the contract is run on which engine. */
const CONTRACT_RUNS = {
  memory: 'unit/backend/memory-contract',
  sqlite: 'unit/sqlite/contract',
  redis: 'engines/redis/contract',
  postgres: 'engines/postgres/contract',
}

/** All rows that tests name, each with its evidence. */
export function findEvidence(): Map<string, Evidence[]> {
  const found = new Map<string, Evidence[]>()
  const add = (text: string, evidence: Evidence) => {
    for (const id of rowsIn(text)) found.set(id, [...(found.get(id) ?? []), evidence])
  }
  for (const [id, { source, waitsFor }] of Object.entries(requirements)) {
    if (waitsFor === undefined) add(`${id} ${source}`, { file: 'interaction', title: id })
  }
  for (const file of testFiles()) {
    for (const [, single, double, template] of readFileSync(new URL(file, root), 'utf8').matchAll(TITLE)) {
      const title = single ?? double ?? template ?? ''
      add(title, { file: file.replace(/^test\//, ''), title })
    }
  }
  for (const title of contractTitles()) {
    for (const [engine, file] of Object.entries(CONTRACT_RUNS)) {
      add(title, { file, title: title.replace(/^(D\d{3})/, `$1 (${engine})`) })
    }
  }
  for (const { id, sameAs = [] } of extensions) {
    for (const same of sameAs) found.set(same, [...(found.get(same) ?? []), ...(found.get(id) ?? [])])
  }
  for (const [id, evidence] of found) if (evidence.length === 0) found.delete(id)
  return found
}

/** The engines on which a row is shown. */
export function enginesOf(id: string, evidence: readonly Evidence[]): Set<string> {
  const engines = new Set<string>()
  for (const { title } of evidence) {
    for (const [, ids = '', names = ''] of title.matchAll(ON_ENGINES)) {
      if (ids.includes(id)) for (const name of names.split(', ')) engines.add(name)
    }
  }
  return engines
}

function contractTitles(): string[] {
  const folder = new URL(CONTRACT, root)
  return readdirSync(folder)
    .filter((name) => name.endsWith('-cases.ts'))
    .flatMap((name) => [...readFileSync(new URL(name, folder), 'utf8').matchAll(CASE)].map(([, title = '']) => title))
}

/** Every id in a text; `F106–F109` names four. */
export function rowsIn(text: string): Set<string> {
  const ids = new Set<string>(text.match(ROW) ?? [])
  for (const [, extension = '', list = ''] of text.matchAll(EXTENSION_ROWS)) {
    for (const id of list.match(/[TLAK]-\d{2}/g) ?? []) ids.add(`${extension} ${id}`)
  }
  for (const [, list = ''] of text.matchAll(COMPOSE_ROWS)) {
    for (const [, letter = '', first = '', last = first] of list.matchAll(COMPOSE_ROW)) {
      for (let number = Number(first); number <= Number(last); number++) {
        ids.add(`compose ${letter}${String(number).padStart(first.length, '0')}`)
      }
    }
  }
  for (const [, letter = '', first = '', last = ''] of text.matchAll(RANGE)) {
    for (let number = Number(first); number <= Number(last); number++) {
      ids.add(letter + String(number).padStart(first.length, '0'))
    }
  }
  return ids
}

function testFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .sort(),
  )
}

/** The evidence of a row as the cell of a table: the first two places, and how many more there are. */
export function describeEvidence(evidence: readonly Evidence[]): string {
  const shown = evidence.slice(0, 2).map(({ file, title }) => {
    return file === 'interaction' ? `\`${title}\`` : `${file.replace('.test.ts', '')}: ${cell(withoutRows(title))}`
  })
  const rest = evidence.length - shown.length
  return shown.join('; ') + (rest > 0 ? `; ${rest} more` : '')
}

/** A title without the ids that it begins with; one that is nothing else stays. */
function withoutRows(title: string): string {
  return title.replace(
    /^(?:(?:[BCS]-[A-Z]+-\d{2}|[DF]\d{3}(?: \([a-z, ]+\))?|R\d{2}|(?:tasks |apps |skills |and )?[TLAK]-\d{2}|compose (?:(?:,? (?:and )?)?[A-Z]\d{2,3}(?:–[A-Z]?\d+)?)+)[:,]? )+/,
    '',
  )
}

/** Text that stays within its cell. */
export function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll(/\\(['`"])/g, '$1')
    .replaceAll(/\s+/g, ' ')
}
