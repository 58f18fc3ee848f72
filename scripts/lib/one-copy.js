// Where a loader turns this package into CommonJS (tsx does, in a project without "type": "module"), `import()` would load each file
// a second time, as an ES module, and the classes of one copy do not know the objects of the other. So a file of the package that
// finds itself in CommonJS loads its parts by its own `require`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const PART = /\bimport\(("\.{1,2}\/[^"]+\.js")\)/g

/** Rewrites each `import()` of a file of the package, in all files of `folder`. */
export function keepOneCopy(folder) {
  let count = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue
    const path = join(entry.parentPath, entry.name)
    const code = readFileSync(path, 'utf8')
    const rewritten = code.replace(PART, (whole, part) => {
      count += 1
      return `($own ? $own(${part}) : ${whole})`
    })
    if (rewritten !== code) writeFileSync(path, `${defineRequire(basename(path))}\n${rewritten}`)
  }
  if (count === 0)
    throw new Error(`No file in ${folder} loads another one by import(). What the build writes has changed.`)
}

/** A bundle of a user's may be CommonJS as well; the parts do not lie beside it, so the name of the file decides. */
function defineRequire(name) {
  const isThisFile = `typeof __filename === "string" && /[\\\\/]${name.replaceAll('.', '\\.')}$/.test(__filename)`
  return `const $own = ${isThisFile} && typeof module === "object" && module.require ? async (part) => module.require(part) : null;`
}
