// Tells bundlers that a value at the top of a file has no effect beside itself. Files hold what many programs use, and without this
// a program would keep each value that is made by a call, with all that it refers to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One statement as the bundler prints it: it begins at the start of a line, and so does the line that ends it. */
const VALUE = /^var ([\w$]+) = ((?:new |[A-Za-z_$][\w$.]*\(|\{|\[)(?:.*;|.*(?:\n[ }\])].*)*?\n[}\])].*;))$/gm
const INNER = /\.\.\.|\bnew |[\w$.]\(/
const CALL = /^(?:new )?[\w$.]+\(/

/** Rewrites all files in `folder`, the chunks that programs share. */
export function markPureValues(folder) {
  let count = 0
  for (const name of readdirSync(folder)) {
    // What several engines share, which no program has much of.
    if (name.startsWith('chunk-')) continue
    const path = join(folder, name)
    const code = readFileSync(path, 'utf8')
    const marked = code.replace(VALUE, (whole, name, statement) => {
      const value = statement.slice(0, -1)
      const made = CALL.exec(value)
      if (value.includes('`') || (made === null && !INNER.test(value))) return whole
      count += 1
      if (made !== null && !INNER.test(value.slice(made[0].length))) return `var ${name} = /* @__PURE__ */ ${statement}`
      return `var ${name} = /* @__PURE__ */ (() => (${value}))();`
    })
    // As short as bundlers read it: it is there a thousand times.
    writeFileSync(path, marked.replaceAll('/* @__PURE__ */', '/*@__PURE__*/'))
  }
  if (count === 0) throw new Error(`No file in ${folder} has values to mark. What the bundler prints has changed.`)
}
