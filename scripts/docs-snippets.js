// npm run docs:snippets: writes the files under docs/examples into the blocks that name them. `--record` also runs the programs that
// have an output and records what they print; name programs to record these alone.
import { readFileSync, writeFileSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { root } from './lib/run.js'
import { compilePrograms, fillBlocks, findPages, findPrograms, runProgram } from './lib/snippets.js'

ensureInstalled()
const wanted = process.argv.slice(2).filter((argument) => argument !== '--record')
if (process.argv.includes('--record')) {
  const programs = findPrograms().filter(
    ({ program }) => wanted.length === 0 || wanted.some((part) => program.includes(part)),
  )
  await compilePrograms(programs.map(({ program }) => program))
  for (const { program, output } of programs) {
    const printed = await runProgram(program)
    writeFileSync(new URL(output, root), printed)
    console.log(`${program}\n${printed.replaceAll(/^/gm, '  ')}`)
  }
}
for (const page of findPages()) {
  const text = readFileSync(new URL(page, root), 'utf8')
  const filled = fillBlocks(text)
  if (filled === text) continue
  writeFileSync(new URL(page, root), filled)
  console.log(`Wrote ${page}`)
}
