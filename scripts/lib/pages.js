// Pages that are written from a table: writes them, or says which ones differ.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { root } from './run.js'

/**
 * Writes `pages` into `folder` and removes all others there. With `--check` it writes nothing, and the process fails where a page
 * differs from `source`.
 */
export function writePages(folder, pages, source, command) {
  const url = new URL(folder, root)
  const name = folder.replace(/\/$/, '')
  mkdirSync(url, { recursive: true })
  const there = readdirSync(url)
  if (process.argv.includes('--check')) {
    const stale = [...new Set([...there, ...pages.keys()])].filter(
      (page) => !there.includes(page) || readFileSync(new URL(page, url), 'utf8') !== pages.get(page),
    )
    if (stale.length === 0) return
    console.error(`${name} differs from ${source}: ${stale.join(', ')}. Run ${command}.`)
    process.exitCode = 1
    return
  }
  for (const page of there) if (!pages.has(page)) rmSync(new URL(page, url))
  for (const [page, text] of pages) writeFileSync(new URL(page, url), text)
  console.log(`Wrote ${pages.size} pages into ${name}`)
}
