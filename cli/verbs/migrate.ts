// mcpwire migrate: rewrites programs of the official SDK for mcpwire.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { replaceFile } from '../files/replace-file.ts'
import { findFiles } from '../migrate/find-files.ts'
import { type MigrationPlan, planMigration } from '../migrate/migrate.ts'
import { unifiedDiff } from '../migrate/show-diff.ts'
import { checkCommitted } from '../migrate/uncommitted.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output.ts'
import { showJSON, showLine, showText } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'

interface MigrateOptions {
  from?: 'v1' | 'v2'
  dryRun?: boolean
  force?: boolean
}

export async function migrateVerb({ words, options, output }: Invocation<MigrateOptions>): Promise<number> {
  const { dryRun = false, force = false, from } = options
  const files = findFiles(words)
  const folders = [process.cwd(), ...words.map(folderOf)]
  const plan = await planMigration(files, folders, from)
  if (!dryRun) {
    if (!force) checkCommitted(plan.changes.map(({ path }) => path))
    for (const { path, after } of plan.changes) replaceFile(path, after)
  }
  if (output.isJSON) output.print(showJSON(toJSON(plan, dryRun)))
  else printPlan(plan, dryRun, output)
  return plan.marks.length > 0 ? EXIT.refused : EXIT.done
}

function folderOf(path: string): string {
  const whole = resolve(path)
  return statSync(whole, { throwIfNoEntry: false })?.isDirectory() === true ? whole : dirname(whole)
}

function toJSON(plan: MigrationPlan, dryRun: boolean): unknown {
  const { changes, callSites, marked, toCheck, marks, notes } = plan
  return {
    dryRun,
    callSites,
    rewritten: callSites - marked,
    marked,
    toCheck,
    files: changes.map(({ name, before, after, ...counts }) => ({
      file: name,
      callSites: counts.callSites,
      marked: counts.marked,
      toCheck: counts.toCheck,
      ...(dryRun && { diff: unifiedDiff(name, before, after) }),
    })),
    marks,
    notes,
  }
}

function printPlan(
  { changes, callSites, marked, toCheck, marks, notes, usesSdk }: MigrationPlan,
  dryRun: boolean,
  output: Output,
): void {
  if (!usesSdk) {
    output.print('No file imports the official SDK. Nothing was changed.')
    return
  }
  for (const { name, before, after, callSites: sites, marked: own, toCheck: open } of changes) {
    if (dryRun) output.print(colored(showText(unifiedDiff(name, before, after)), output))
    else if (sites === 0) output.print(showLine(name))
    else
      output.print(
        `${showLine(name)}: ${count(sites, 'call site')}, ${sites - own} rewritten, ${own} marked${checks(open)}`,
      )
  }
  const verb = dryRun ? 'would be rewritten' : 'rewritten'
  output.print(
    `${count(callSites, 'call site')} in ${count(changes.length, 'file')}: ${callSites - marked} ${verb}, ${marked} marked${checks(toCheck)}.`,
  )
  for (const { file, line, todo } of marks) output.note(`${showLine(file)}:${line}: ${showLine(todo)}`)
  for (const note of notes) output.note(`Note: ${showLine(note)}`)
  if (dryRun) output.note('Nothing was changed: --dry-run.')
  else if (changes.length > 0) output.note('Run npm install, then your type checker and your tests.')
}

function checks(number: number): string {
  return number === 0 ? '' : `, ${number} to check`
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`
}

function colored(diff: string, { paint }: Output): string {
  return diff
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return paint.green(line)
      return line.startsWith('-') ? paint.red(line) : line.startsWith('@@') ? paint.dim(line) : line
    })
    .join('\n')
}
