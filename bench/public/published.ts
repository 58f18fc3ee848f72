// The figures as they were published: a table for the oldest Node that is supported, and one for a newer one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row, Spread } from './figures.ts'

/** From here, or from where a bundle of this file stands. */
const file = [new URL('published.json', import.meta.url), new URL('../../bench/public/published.json', import.meta.url)]
  .map((url) => fileURLToPath(url))
  .find((path) => existsSync(path))

const OLDEST_NODE = 'v20.'

export type TableName = 'oldest' | 'newer'

/** A row as it was measured, on which day and how. */
export interface PublishedRow extends Row {
  readonly day: string
  readonly isQuick: boolean
  readonly node: string
  /** Of the machine, in its last minute: above the number of its cores, others were at work too. */
  readonly load: number
}

export type Published = Partial<Record<TableName, readonly PublishedRow[]>>

/** Of the Node that runs this. */
export const tableOfThisNode: TableName = process.version.startsWith(OLDEST_NODE) ? 'oldest' : 'newer'

export function readPublished(): Published {
  return file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Published)
}

export function writePublished(published: Published): void {
  if (file === undefined) throw new Error('bench/public/published.json is missing')
  writeFileSync(file, `${JSON.stringify(published, rounded, 2)}\n`)
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}

/** Our figure in a row, with this Node; with the oldest one where the row was not measured with this. */
export function publishedRatio(title: string): number {
  const { oldest = [], newer = [] } = readPublished()
  const rows = tableOfThisNode === 'newer' ? [...newer, ...oldest] : oldest
  const row = rows.find((each) => each.title === title)
  const figure = row === undefined ? undefined : oursOf(row)
  if (figure === undefined) throw new Error(`The published table has no row named '${title}'`)
  return figure.ratio
}

export function oursOf({ figures, ours }: Pick<Row, 'figures' | 'ours'>): Spread | undefined {
  return figures.find(({ name }) => name === ours)
}
