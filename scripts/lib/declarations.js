// The declarations that ship: those that users can reach from an entry point, readable by compilers with an older `lib`.
import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const IMPORT = /(?:from|import\()\s*['"](\.[^'"]+)['"]/g

/** Removes what no declaration in the folder of the entry points leads to: it describes the inside of the package. */
export function removeUnreachable(folder, entryFolder) {
  const reached = new Set()
  const visit = (file) => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, from] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      visit(resolve(dirname(file), from.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  for (const file of listDeclarations(entryFolder)) visit(file)
  for (const file of listDeclarations(folder)) if (!reached.has(file)) rmSync(file)
  removeEmptyFolders(folder)
}

/** Users whose `lib` does not know disposables must still be able to read our types. */
export function referDisposables(folder) {
  for (const file of listDeclarations(folder)) {
    const declaration = readFileSync(file, 'utf8')
    if (!/\b(?:AsyncDisposable|asyncDispose)\b/.test(declaration)) continue
    writeFileSync(file, `/// <reference lib="esnext.disposable" />\n${declaration}`)
  }
}

function listDeclarations(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.d.ts'))
  return files.map((file) => resolve(folder, file))
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name))
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
