// What `mcpwire dev` prints: how the server is reached, each reload with what it changed, each call with its time.
import { relative } from 'node:path'
import type { Output } from '../terminal/output.ts'
import { showLine, showText } from '../terminal/terminal-text.ts'
import type { FinishedCall, Listed, Prepared } from './front.ts'
import type { ListChange, ListName, Lists } from './relay/lists.ts'
import type { Reload } from './reloader.ts'
import { ChildFailure, type ServerChild } from './server-child.ts'

const NAMES: Record<ListName, string> = {
  tools: 'tool',
  resources: 'resource',
  templates: 'template',
  prompts: 'prompt',
}
const MARKS = { added: '+', changed: '~', removed: '-' } as const
const MAX_NAMED = 8
const MAX_ERROR = 200

export interface ScreenOptions {
  output: Output
  version: string
  file: string
  /** Clears the terminal at every reload. */
  clears: boolean
  /** Gets what became of versions, without colors. */
  report(text: string, level: 'info' | 'warning' | 'error'): void
}

export class Screen {
  readonly #output: Output
  readonly #options: ScreenOptions
  #hasServed = false
  #hasWarnedOfState = false

  constructor(options: ScreenOptions) {
    this.#options = options
    this.#output = options.output
  }

  /** The first version serves. `addresses` are pairs such as `HTTP`, `http://…`. */
  ready(lists: Lists | undefined, ms: number, addresses: readonly (readonly [string, string])[], keys: string): void {
    const { version, file, output } = this.#options
    this.#hasServed = true
    const { bold, dim } = output.notePaint
    const parts = [`mcpwire ${version}`, showPath(file), ...(lists === undefined ? [] : [countLists(lists)])]
    output.note(
      `\n  ${bold(parts.filter((part) => part !== '').join('   '))}   ${dim(`ready in ${Math.round(ms)} ms`)}`,
    )
    for (const [name, address] of addresses) output.note(`  ${name.padEnd(11)} ${address}`)
    if (keys !== '') output.note(`  ${dim(keys)}`)
  }

  reloaded({ warnings }: Prepared, { changes }: Listed, { kind, paths }: Reload, ms: number): void {
    const { clears, output } = this.#options
    if (clears) this.clear()
    const what = kind === 'restart' ? 'restarted' : `reloaded ${paths.map(showPath).join(', ')}`
    const words = [`${what.trim()} in ${Math.round(ms)} ms`, ...describeChanges(changes ?? [])]
    this.#line(words.join('   '))
    this.#options.report(words.join('   '), 'info')
    for (const warning of warnings) this.warn(warning)
    if (this.#hasServed && !this.#hasWarnedOfState && kind !== 'start') {
      this.#hasWarnedOfState = true
      output.note(output.notePaint.dim('          State in memory starts anew with every reload.'))
    }
    this.#hasServed = true
  }

  failed(failure: Error, isServing: boolean): void {
    const lines = failure instanceof ChildFailure ? failure.lines : [`mcpwire: ${failure.message}`]
    const [first = '', ...rest] = lines
    this.#line(`${this.#output.notePaint.red('error')}  ${showText(first.replace(/^mcpwire: /, ''))}`)
    for (const line of rest) this.#output.problem(`          ${line.trimStart()}`)
    const state = isServing ? 'The version before goes on serving.' : 'No version serves. Requests wait up to 10 s.'
    const next = `${state} The next change of a file tries again.`
    this.#output.note(`          ${next}`)
    this.#options.report([first.replace(/^mcpwire: /, ''), ...rest, next].join('\n'), 'error')
  }

  lost(child: ServerChild, restartMs: number): void {
    const text = `The server ${child.exit}. Restarting in ${restartMs} ms.`
    this.#line(`${this.#output.notePaint.red('error')}  ${text}`)
    this.#options.report(text, 'error')
  }

  call({ name, ms, error }: FinishedCall): void {
    const shown = this.#output.notePaint.bold(showLine(name))
    const time = `${Math.round(ms)} ms`
    if (error === undefined) this.#line(`${shown}  ${time}  ok`)
    else this.#line(`${shown}  ${time}  ${this.#output.notePaint.red('error')}  ${showLine(error).slice(0, MAX_ERROR)}`)
  }

  warn(text: string): void {
    this.#options.report(text, 'warning')
    this.#line(`${this.#output.notePaint.yellow('warning')}  ${showLine(text)}`)
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\u001b[2J\u001b[3J\u001b[H')
  }

  #line(text: string): void {
    this.#output.note(`${this.#output.notePaint.dim(new Date().toTimeString().slice(0, 8))}  ${text}`)
  }
}

/** From the working directory, where it is inside of it. */
function showPath(path: string): string {
  const shown = relative('', path)
  return shown.startsWith('..') ? path : shown
}

function countLists(lists: Lists): string {
  const counts = (Object.keys(NAMES) as ListName[]).flatMap((list) => {
    const count = lists[list].length
    return count === 0 ? [] : [`${count} ${NAMES[list]}${count === 1 ? '' : 's'}`]
  })
  return counts.join(' · ')
}

/** `+ tool refund`, `~ tool order (input)`. */
export function describeChanges(changes: readonly ListChange[]): string[] {
  const shown = changes.slice(0, MAX_NAMED).map(({ kind, list, name, members }) => {
    const about = members.length === 0 ? '' : ` (${members.join(', ')})`
    return `${MARKS[kind]} ${NAMES[list]} ${showLine(name)}${about}`
  })
  return changes.length > MAX_NAMED ? [...shown, `and ${changes.length - MAX_NAMED} more`] : shown
}
